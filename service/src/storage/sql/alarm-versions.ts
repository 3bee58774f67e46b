import type { Dialect } from './dialect.ts'
import { lockAlarms, type Statement } from './statement.ts'
import type { AlarmVersion } from '../stores/alarms.ts'

/** Up to this many sources are compared one by one. */
const COMPARED = 4

/**
 * Guards that the alarm states of these sources are still those of the given versions.
 *
 * From the guard until the commit nobody else changes them: one transaction writes at a time, or their
 * rows are locked. The first change of a source has no row to lock: `raiseVersions` finds another one.
 */
export function versionGuards(
  at: ReadonlyMap<string, AlarmVersion>,
  { isRemote }: Pick<Dialect, 'isRemote'>,
): Statement[] {
  if (at.size === 0) return []
  if (isRemote) return lockedGuards(at)
  if (at.size > COMPARED) return [guardTogether(at)]
  const values: string[] = []
  for (const [source, version] of at) values.push(source, textOf(version))
  return [{ sql: GUARD, width: 2, values, guards: 'alarms' }]
}

function lockedGuards(at: ReadonlyMap<string, AlarmVersion>): Statement[] {
  const given = [...at].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const sources = given.map(([source]) => source)
  return [
    lockAlarms(sources),
    {
      sql: GUARD,
      width: 2,
      values: [],
      columns: [sources, given.map(([, version]) => textOf(version))],
      guards: 'alarms',
      set: {
        sql: `select 1 from @given left join alarm_versions as stored on stored.source_id = c1
          where c2 = coalesce(stored.version || ' ' || stored.writer, '0 0')`,
        types: ['text', 'text'],
      },
    },
  ]
}

/** One parameter for all sources: a statement for each one costs several times as much. */
function guardTogether(at: ReadonlyMap<string, AlarmVersion>): Statement {
  const given = Object.fromEntries(
    at.entries().map(([source, version]) => [source, textOf(version)]),
  )
  return { sql: GUARD_TOGETHER, width: 1, values: [JSON.stringify(given)], guards: 'alarms' }
}

const textOf = ({ version, writer }: AlarmVersion): string => `${version} ${writer}`

const GUARD = `select 1 where coalesce((select version || ' ' || writer from alarm_versions
  where source_id = ?), '0 0') = ?`

/** Each member of the object is a source with its version and writer. */
const GUARD_TOGETHER = `select 1 where not exists (
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
