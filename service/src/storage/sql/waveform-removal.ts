import { isConflict } from '../../errors/conflict-error.ts'
import { rememberWaveform } from './waveform-changes.ts'
import { type Statement } from './engine.ts'
import type { RecordKeys, StoredWaveform, WaveformStore, RecordWriteOptions } from '../storage.ts'

/** Waveforms are large: so many of them go at once. */
const BATCHES_AT_ONCE = 16

const ATTEMPTS = 20

type Dependencies = {
  list: WaveformStore['list']
  /** Writes that theme records are gone, what goes with that, and further statements, all or none. */
  writeGone(
    gone: RecordKeys,
    options: Pick<RecordWriteOptions, 'change'>,
    further: readonly Statement[],
  ): Promise<void>
}

export function waveformRemover({ list, writeGone }: Dependencies): WaveformStore['removeSome'] {
  const remove = async (
    { withRecordsOf, ...span }: Parameters<WaveformStore['removeSome']>[0],
    { change }: Pick<RecordWriteOptions, 'change'>,
  ): Promise<number> => {
    const batches = await list({ ...span, limit: BATCHES_AT_ONCE })
    if (batches.length === 0) return 0
    const gone: RecordKeys = { sources: [], times: [] }
    for (const { station, collectTime } of batches)
      for (const source of [station, ...withRecordsOf]) {
        gone.sources.push(source)
        gone.times.push(collectTime)
      }
    const statements = batches.flatMap((batch) => removal(batch, withRecordsOf, change))
    await writeGone(gone, { change }, statements)
    return batches.length
  }

  return async (span, options) => {
    for (let attempt = 1; ; attempt++)
      try {
        return await remove(span, options)
      } catch (error) {
        // A batch or a record of it was replaced meanwhile: what is there now is looked at anew.
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
  const batch = { station, trigger }
  const { before, after } = rememberWaveform({ change, batch, collectTime, sources })
  return [before, removed, after]
}
