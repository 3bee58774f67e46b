import { isConflict } from '../../errors/conflict-error.ts'
import { type SqlEngine, type Statement } from './engine.ts'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import type { Holdings, RecordKind, SiteChanges, SiteStore } from '../storage.ts'

const VERSION = { sql: `select value from meta where key = 'site_version'`, parameters: [] }

export function siteStore(engine: SqlEngine): SiteStore {
  const { build, all, write, check } = engine

  const version = async (): Promise<number> => {
    const [row] = await all<{ value: number }>(VERSION)
    return row?.value ?? 0
  }

  return {
    version,

    async load() {
      const at = await version()
      for (const table of ['site_entries', 'default_groups', 'sensors'] as const) check({ table })
      const entries = await all<{ definition: string }>(
        build
          .selectFrom('site_entries')
          .select('definition')
          .orderBy('position')
          .orderBy('kind')
          .orderBy('id')
          .compile(),
      )
      const defaultGroups = await all<{ id: number; structure: number; factor: number }>(
        build
          .selectFrom('default_groups')
          .select(['id', 'structure_id as structure', 'factor_id as factor'])
          .compile(),
      )
      const sensors = await all<{ id: string; key: number }>(
        build.selectFrom('sensors').select(['id', 'key']).compile(),
      )
      return {
        version: at,
        entries: entries.map(({ definition }) => JSON.parse(definition) as SiteEntry),
        defaultGroups,
        sensorKeys: new Map(sensors.map(({ id, key }) => [id, key])),
      }
    },

    async apply(changes, baseVersion) {
      try {
        await write([
          advance(baseVersion),
          ...removals(changes),
          ...revocations(changes),
          ...additions(changes),
        ])
        return true
      } catch (error) {
        if (isConflict(error, 'rows')) return false
        throw error
      }
    },

    async findHoldings(sources) {
      const [stations, sensors, structures] = await Promise.all([
        findHeld(engine, STATION_HOLDS, sources.stations),
        findHeld(engine, SENSOR_HOLDS, sources.sensors),
        findHeld(engine, STRUCTURE_HOLDS, sources.structures),
      ])
      return { stations, sensors, structures } satisfies Holdings
    },
  }
}

const STATION_HOLDS = `select exists (select 1 from theme_records where source = ?)
  or exists (select 1 from theme_sealed_parts where source = ?)
  or exists (select 1 from waveforms where station_id = ?)
  or exists (select 1 from manual_readings where station_id = ?) as held`
const SENSOR_HOLDS = `select exists (select 1 from raw_records
  where source = (select key from sensors where id = ?))
  or exists (select 1 from raw_sealed_parts
  where source = (select key from sensors where id = ?)) as held`
const STRUCTURE_HOLDS = `select exists (select 1 from traffic_records where structure_id = ?) as held`

async function findHeld<Id>({ all }: SqlEngine, sql: string, ids: readonly Id[]): Promise<Id[]> {
  const held: Id[] = []
  for (const id of ids) {
    const parameters = Array.from(sql.matchAll(/\?/g), () => id)
    const [row] = await all<{ held: number | boolean }>({ sql, parameters })
    if (row?.held) held.push(id)
  }
  return held
}

const advance = (baseVersion: number): Statement => ({
  sql: `update meta set value = value + 1 where key = 'site_version' and value = ?`,
  width: 1,
  values: [baseVersion],
  expected: 1,
})

function additions({ put }: SiteChanges): Statement[] {
  const sensors = put.filter((entry) => entry.kind === 'device').map(({ id }) => [id])
  const ungrouped = put
    .filter((entry) => entry.kind === 'station')
    .filter(({ group }) => group === null)
    .map(({ structure, factor }) => [structure, factor])

  return [
    many(
      `insert into site_entries (kind, id, position, definition) values (?, ?, ?, ?)
       on conflict (kind, id) do update
       set position = excluded.position, definition = excluded.definition`,
      put.map((entry, position) => [entry.kind, String(entry.id), position, JSON.stringify(entry)]),
    ),
    many(`insert into sensors (id) values (?) on conflict (id) do nothing`, sensors),
    many(
      `insert into default_groups (structure_id, factor_id) values (?, ?)
       on conflict (structure_id, factor_id) do nothing`,
      ungrouped,
    ),
  ].filter(({ values }) => values.length > 0)
}

function removals({ remove, withRecords }: SiteChanges): Statement[] {
  const stations = remove.filter(({ kind }) => kind === 'station').map(({ id }) => [id])
  const devices = remove.filter(({ kind }) => kind === 'device').map(({ id }) => [id])
  const records = [
    ...['records', 'sealed_parts', 'open_days', 'open_hours'].flatMap((table) => [
      {
        ...many(`delete from theme_${table} where source = ?`, stations),
        ...(table === 'records' ? ofSources('theme') : {}),
      },
      {
        ...many(
          `delete from raw_${table} where source = (select key from sensors where id = ?)`,
          devices,
        ),
        ...(table === 'records' ? ofSources('raw') : {}),
      },
    ]),
    many(`delete from waveforms where station_id = ?`, stations),
    many(`delete from manual_readings where station_id = ?`, stations),
  ]
  return [
    many(
      `delete from site_entries where kind = ? and id = ?`,
      remove.map(({ kind, id }) => [kind, String(id)]),
    ),
    ...(withRecords ? records : []),
  ].filter(({ values }) => values.length > 0)
}

/** Before the additions: who is added again does not get back what an earlier removal revoked. */
const revocations = ({ revokeAt }: SiteChanges): Statement[] =>
  revokeAt === undefined
    ? []
    : [
        {
          sql: `update applications set revoked_at = ? where revoked_at is null and not exists
            (select 1 from site_entries where kind = 'user' and id = cast(user_id as text))`,
          width: 1,
          values: [revokeAt],
        },
      ]

const ofSources = (kind: RecordKind) => ({ checked: { kind, as: 'sources' } as const })

const many = (sql: string, rows: readonly (readonly unknown[])[]): Statement => ({
  sql,
  width: rows[0]?.length ?? 1,
  values: rows.flat(),
})
