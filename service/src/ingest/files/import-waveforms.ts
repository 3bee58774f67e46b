import { fileOrigin } from '../../domain/rejects/reject-origin.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { countOf, show } from '../../errors/show.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { RejectWriter } from '../rejects/reject-writer.ts'
import { untilAborted } from '../formats/until-aborted.ts'
import type { StoredWaveforms } from '../waveforms/ingest-waveforms.ts'
import type { ReadWaveforms } from '../waveforms/waveform-body-reader.ts'
import type { WaveformFile } from '../waveforms/waveform-file.ts'
import type { FileMember } from './file-members.ts'
import type { ImportedWaveforms } from './imported-waveforms.ts'
import { describeWaveforms } from './waveform-summary.ts'

type WaveformImportOptions = {
  mapping: WaveformFile
  rejects: Pick<RejectWriter, 'add'>
  /** The change of the import, by which it can be undone. */
  change: number | undefined
  /** Whether nothing is stored, neither waveforms nor a reject. */
  isDry: boolean
  /** What this import has read before. */
  imported: ImportedWaveforms
  /** When it is aborted, reading throws its reason. */
  signal: AbortSignal
  /** Called with the bytes that were read so far. */
  onProgress(bytes: number): void
}

/**
 * Stores the waveforms of a file, all or none; returns the result as sentences.
 *
 * A member of an archive may lack channels of the mapping that another one has. The reject of a refused
 * file has its name and the reason, without its bytes.
 */
export async function importWaveforms(
  ingest: Pick<RecordIngest, 'waveforms' | 'dryRun' | 'clock' | 'catalogue'>,
  { name, path, open }: FileMember,
  { mapping, rejects, change, isDry, imported, signal, onProgress }: WaveformImportOptions,
): Promise<string[]> {
  const target = isDry ? ingest.dryRun() : ingest
  const plan = { ...mapping, isPart: name !== path }
  let read: ReadWaveforms = { planned: [], unmapped: [], absent: [] }
  const onRead = (found: ReadWaveforms): void => {
    read = found
    imported.refuseRepeated(found)
  }
  try {
    const bytes = await gather(untilAborted(open(), signal), onProgress)
    const stored = await target.waveforms(bytes, plan, { change, onRead })
    imported.add(name, read)
    const dry = isDry ? describeWaveforms(read, await ingest.catalogue()) : []
    return [...describe(stored, read, isDry), ...dry]
  } catch (error) {
    if (!(error instanceof RefusedError) || error.reason !== 'invalid') throw error
    if (!isDry) {
      const kept = { place: 'the whole file', reason: error.message, payload: Buffer.from(name) }
      const receivedAt = ingest.clock.now()
      await rejects.add([{ ...fileOrigin(path, name), ...kept, receivedAt }])
    }
    throw error
  }
}

async function gather(
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<Uint8Array> {
  const gathered: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    gathered.push(chunk)
    bytes += chunk.length
    onProgress(bytes)
  }
  return Buffer.concat(gathered)
}

function describe(
  { accepted, replaced, unmapped }: StoredWaveforms,
  { planned }: ReadWaveforms,
  isDry: boolean,
): string[] {
  if (planned.length === 0)
    return [`It has no channel of the mapping, but ${unmapped.map(show).join(', ')}.`]
  const would = isDry ? 'would be' : accepted === 1 ? 'was' : 'were'
  const samples = planned.reduce((sum, one) => sum + one.samples.length, 0)
  const lines = [
    `${countOf(accepted, 'waveform')} of ${countOf(samples, 'sample')} ${would} stored` +
      (replaced > 0 ? `, ${replaced.toLocaleString('en')} in place of earlier ones.` : '.'),
  ]
  if (unmapped.length > 0)
    lines.push(`${countOf(unmapped.length, 'channel')} left out: ${unmapped.map(show).join(', ')}.`)
  return lines
}
