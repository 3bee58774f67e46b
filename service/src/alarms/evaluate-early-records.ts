import { isConflict } from '../errors/conflict-error.ts'
import { setImmediate } from 'node:timers/promises'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { valuesOf } from '../domain/records/record-values.ts'
import type { EarlyRecord, Storage } from '../storage/storage.ts'
import type { AlarmEngine } from './alarm-engine.ts'

/** So many records are evaluated in one transaction. */
const RECORDS_AT_ONCE = 500

/** So often in a row it is tried again where records change meanwhile. */
const ATTEMPTS = 20

export type DueOptions = {
  alarms: AlarmEngine
  storage: Pick<Storage, 'data' | 'early'>
  catalogue: Catalogue
}

/**
 * Evaluates early records whose time has come, in the order of their times and each exactly once,
 * whoever else does the same; says how many there were.
 */
export async function evaluateDue(options: DueOptions): Promise<number> {
  const { alarms, storage } = options
  const horizon = alarms.horizon()
  let count = 0
  for (let attempt = 1; ;) {
    const due = await storage.early.listDue(horizon, RECORDS_AT_ONCE)
    if (due.length === 0) return count
    try {
      await evaluate(options, due)
      count += due.length
      attempt = 1
    } catch (error) {
      // One of them was sent again, or evaluated by another instance: we look again.
      if (!isConflict(error, 'records') || attempt++ === ATTEMPTS) throw error
    }
    await setImmediate()
  }
}

function evaluate(
  { alarms, storage, catalogue }: DueOptions,
  due: readonly EarlyRecord[],
): Promise<unknown> {
  const records = due.flatMap(({ station: id, time, isNotified, record }) => {
    const station = catalogue.stations.get(id)
    // The station is no longer declared, or the record was deleted.
    if (station === undefined || record === undefined) return []
    return [{ station, time, isNotified, values: valuesOf(record, station.itemIndex) }]
  })
  const evaluated = due.map(({ station, time, record = null, isSealed }) => {
    return { station, time, record: isSealed ? null : record }
  })
  return alarms.evaluate(
    catalogue,
    records,
    (writes) => storage.data.write({}, { alarms: writes }),
    {
      due: evaluated,
    },
  )
}
