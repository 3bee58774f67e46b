import { lockAlarms, type Statement } from './statement.ts'
import type { AlarmVersion } from '../stores/alarms.ts'

/**
 * Guards that the alarm states of these sources are still those of the given versions.
 *
 * From the guard until the commit nobody else changes them: one transaction writes at a time, or their
 * rows are locked. The first change of a source has no row to lock: `raiseVersions` finds another one.
 */
export function versionGuards(at: ReadonlyMap<string, AlarmVersion>): Statement[] {
  if (at.size === 0) return []
  // One parameter for all sources: a statement for each one costs several times as much.
  const given = Object.fromEntries(
    at.entries().map(([source, { version, writer }]) => [source, `${version} ${writer}`]),
  )
  const sources = Object.keys(given).toSorted()
  return [
    lockAlarms(sources),
    {
      sql: GUARD,
      width: 1,
      values: [JSON.stringify(given)],
      guards: 'alarms',
      set: {
        sql: `select 1 from @given left join alarm_versions as stored on stored.source_id = c1
          where c2 = coalesce(stored.version || ' ' || stored.writer, '0 0')`,
        types: ['text', 'text'],
        columns: [sources, sources.map((source) => given[source])],
      },
    },
  ]
}

/** Each member of the object is a source with its version and writer. */
const GUARD = `select 1 where not exists (
  select 1 from json_each(?) as given
    left join alarm_versions as stored on stored.source_id = given.key
  where given.value <> coalesce(stored.version || ' ' || stored.writer, '0 0'))`

/** Raises the versions of changed sources in the name of a writer; runs after their guards. */
export function raiseVersions(
  sources: ReadonlySet<string>,
  at: ReadonlyMap<string, AlarmVersion>,
  writer: number,
): Statement {
  const values = Array.from(sources, (source) => {
    const known = at.get(source)
    if (known === undefined)
      throw new Error(`alarms of ${source} are changed without the version of its states`)
    return [source, known.version + 1, writer]
  })
  return {
    sql: `${INTO} values (?, ?, ?) ${RAISED}`,
    width: 3,
    values: values.flat(),
    expected: values.length,
    conflict: 'alarms',
    set: {
      sql: `${INTO} select c1, c2, c3 from @given order by c1 ${RAISED}`,
      types: ['text', 'bigint', 'bigint'],
    },
  }
}

const INTO = 'insert into alarm_versions (source_id, version, writer)'

const RAISED = `on conflict (source_id) do update
  set version = excluded.version, writer = excluded.writer
  where alarm_versions.version = excluded.version - 1`
