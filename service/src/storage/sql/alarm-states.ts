import { sql, type Kysely } from 'kysely'
import type { AlarmState } from '../../domain/alarms/alarm-state.ts'
import type { StoredAlarmStates } from '../stores/alarms.ts'
import { fromJson } from './from-json.ts'
import type { Tables } from './tables.ts'

const NOTHING = sql<string>`''`
const ZERO = sql<number>`0`

/**
 * A row with the version of each source, or of some, and a row for each of their states, in which the
 * rest is empty.
 *
 * One statement, so that the states of a source and their version are of one state of the data.
 */
export function selectStates(build: Kysely<Tables>, sources?: readonly string[]) {
  const versions = build
    .selectFrom('alarm_versions')
    .select(['source_id as source', 'version', 'writer'])
    .select([NOTHING.as('typeCode'), ZERO.as('alarmId'), NOTHING.as('state')])
  const states = build
    .selectFrom('alarm_states')
    .select(['source_id as source', ZERO.as('version'), ZERO.as('writer')])
    .select(['type_code as typeCode', 'alarm_id as alarmId', 'state'])
  if (sources === undefined) return versions.unionAll(states)
  return versions
    .where('source_id', 'in', sources)
    .unionAll(states.where('source_id', 'in', sources))
}

type StateRow = {
  source: string
  version: number
  writer: number
  typeCode: string
  alarmId: number
  state: string
}

/** The rows of `selectStates` by source. */
export function toStates(rows: readonly StateRow[]): StoredAlarmStates[] {
  const bySource = new Map<string, StoredAlarmStates>()
  for (const { source, version, writer, typeCode, alarmId, state } of rows) {
    const one = bySource.getOrInsertComputed(source, (): StoredAlarmStates => {
      return { source, version: { version: 0, writer: 0 }, states: [] }
    })
    if (typeCode === '') one.version = { version, writer }
    else one.states.push({ typeCode, alarmId, state: fromJson<AlarmState>(state) })
  }
  for (const { states } of bySource.values())
    states.sort((a, b) => (a.typeCode < b.typeCode ? -1 : 1))
  return Array.from(bySource.values())
}
