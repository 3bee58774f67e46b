import { setImmediate } from 'node:timers/promises'
import { Retries } from '../concurrency/retry.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { EarlyRecord, Storage } from '../storage/storage.ts'
import type { AlarmCommits } from './alarm-commits.ts'

/** Records that are evaluated in one transaction. */
const RECORDS_AT_ONCE = 500

type DueOptions = {
  commits: AlarmCommits
  storage: Pick<Storage, 'earlyRecords'>
  catalogue: Catalogue
}

/**
 * Evaluates early records whose time has come, in the order of their times and each exactly once, also
 * beside other instances; returns how many.
 */
export async function evaluateDue({ commits, storage, catalogue }: DueOptions): Promise<number> {
  const horizon = commits.horizon()
  const retries = new Retries({ reasons: ['records', 'places'], what: 'early records' })
  let count = 0
  while (true) {
    const due = await storage.earlyRecords.listDue(horizon, RECORDS_AT_ONCE)
    if (due.length === 0) return count
    try {
      await evaluate(commits, catalogue, due)
      count += due.length
      retries.succeeded()
    } catch (error) {
      // One of them was replaced, or another instance has evaluated it.
      await retries.after(error)
    }
    await setImmediate()
  }
}

function evaluate(
  commits: AlarmCommits,
  catalogue: Catalogue,
  due: readonly EarlyRecord[],
): Promise<void> {
  const records = due.flatMap(({ station: id, time, isNotified, record }) => {
    const station = catalogue.stations.get(id)
    // The station is no longer declared, or the record was deleted.
    if (station === undefined || record === undefined) return []
    return [{ source: id, time, isNotified, record }]
  })
  const evaluated = due.map(({ station, time, record = null, isSealed }) => {
    return { station, time, record: isSealed ? null : record }
  })
  return commits.due(catalogue, records, evaluated)
}
