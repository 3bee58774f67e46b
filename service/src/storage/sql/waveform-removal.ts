import { isConflict } from '../../errors/conflict-error.ts'
import { rememberWaveform } from './waveform-changes.ts'
import type { Statement } from './statement.ts'
import type { RecordKeys, RecordWriteOptions } from '../stores/records.ts'
import type { StoredWaveform, WaveformStore } from '../stores/waveforms.ts'

/** Waveforms are large: a few of them are deleted at once. */
const WAVEFORMS_AT_ONCE = 16

const ATTEMPTS = 20

type WaveformRemoverOptions = {
  list: WaveformStore['list']
  /** Deletes theme records and runs extra statements, all or none. */
  writeDeletions(
    deletions: RecordKeys,
    options: Pick<RecordWriteOptions, 'change'>,
    statements: readonly Statement[],
  ): Promise<void>
}

export function waveformRemover({
  list,
  writeDeletions,
}: WaveformRemoverOptions): WaveformStore['removeSome'] {
  const remove = async (
    { withRecordsOf, ...span }: Parameters<WaveformStore['removeSome']>[0],
    { change }: Pick<RecordWriteOptions, 'change'>,
  ): Promise<number> => {
    const waveforms = await list({ ...span, limit: WAVEFORMS_AT_ONCE })
    if (waveforms.length === 0) return 0
    const deletions: RecordKeys = { sources: [], times: [] }
    for (const { station, collectTime } of waveforms)
      for (const source of [station, ...withRecordsOf]) {
        deletions.sources.push(source)
        deletions.times.push(collectTime)
      }
    const statements = waveforms.flatMap((waveform) => removal(waveform, withRecordsOf, change))
    await writeDeletions(deletions, { change }, statements)
    return waveforms.length
  }

  return async (span, options) => {
    for (let attempt = 1; ; attempt++)
      try {
        return await remove(span, options)
      } catch (error) {
        // A waveform or one of its records was replaced meanwhile: they are read again.
        if (!isConflict(error, 'rows') || attempt === ATTEMPTS) throw error
      }
  }
}

function removal(
  { id, station, trigger, collectTime }: StoredWaveform,
  withRecordsOf: readonly number[],
  change: number | undefined,
): Statement[] {
  const removed: Statement = {
    sql: `delete from waveforms where id = ?`,
    width: 1,
    values: [id],
    expected: 1,
  }
  if (change === undefined) return [removed]
  const sources = [station, ...withRecordsOf]
  const waveform = { station, trigger }
  const { before, after } = rememberWaveform({ change, waveform, collectTime, sources })
  return [before, removed, after]
}
