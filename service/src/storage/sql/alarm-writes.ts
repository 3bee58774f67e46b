import type { Dialect } from './dialect.ts'
import type { Statement } from './statement.ts'
import { inSlices } from '../../concurrency/in-slices.ts'
import { ChangedAlarms } from './changed-alarms.ts'
import { earlyGuards, earlyStatements } from './early-records.ts'
import { newestSql, newestValues } from './newest.ts'
import { versionGuards } from './alarm-versions.ts'
import type { AlarmUpdate } from '../stores/alarms.ts'

/** Guards that the alarms are still those from which the changes follow; they run first in a write. */
export function alarmGuards(alarms: AlarmUpdate, dialect: Pick<Dialect, 'isRemote'>): Statement[] {
  const { at, bounds } = alarms
  const guards = [...earlyGuards(alarms), ...versionGuards(at, dialect)]
  if (bounds.length > 0)
    guards.push({
      sql: `select 1 from (select coalesce((${newestSql('theme')}), ${NEVER}) as newest) as found
        where newest > ? and newest <= ?`,
      width: 9,
      values: bounds.flatMap(({ station, above, upTo, horizon }) => [
        ...newestValues(station, horizon),
        Math.max(above, NEVER - 1),
        Math.max(upTo, NEVER),
      ]),
      guards: 'alarms',
    })
  return guards
}

/** An instant before every other one, for a station without records. */
const NEVER = -Number.MAX_SAFE_INTEGER + 1

/** More changes are gathered in slices, which is safe: no other write waits behind such a large one. */
const CHANGES_AT_ONCE = 10_000

/**
 * Statements that change alarms and early records. The event loop runs meanwhile where there are many
 * changes.
 */
export function alarmStatements(
  alarms: AlarmUpdate,
  { newAlarms }: Pick<Dialect, 'newAlarms'>,
): Statement[] | Promise<Statement[]> {
  const { changes } = alarms
  const changed = new ChangedAlarms(alarms, newAlarms)
  const statements = (): Statement[] => [...earlyStatements(alarms), ...changed.statements()]
  if (changes.length > CHANGES_AT_ONCE) return inSlices(changes, changed.add).then(statements)
  for (const change of changes) changed.add(change)
  return statements()
}
