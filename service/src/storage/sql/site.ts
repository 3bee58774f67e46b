import { sql, type CompiledQuery } from 'kysely'
import { isConflict } from '../../errors/conflict-error.ts'
import type { SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import { fromJson } from './from-json.ts'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import type { RecordKind } from '../stores/records.ts'
import type { Holdings, SiteChanges, SiteStore } from '../stores/site.ts'

export function siteStore(engine: SqlEngine): SiteStore {
  const { build, all, first, write, check } = engine
  const siteVersion = build.selectFrom('meta').select('value').where('key', '=', 'site_version')
  const compiledVersion = siteVersion.compile()

  const version = async (): Promise<number> => (await first(compiledVersion))?.value ?? 0

  return {
    version,

    async load() {
      const at = await version()
      for (const table of ['site_entries', 'default_groups', 'sensors'] as const) check({ table })
      const entries = await all(
        build
          .selectFrom('site_entries')
          .select('definition')
          .orderBy('position')
          .orderBy('kind')
          .orderBy('id')
          .compile(),
      )
      const defaultGroups = await all(
        build
          .selectFrom('default_groups')
          .select(['id', 'structure_id as structure', 'factor_id as factor'])
          .compile(),
      )
      const sensors = await all(build.selectFrom('sensors').select(['id', 'key']).compile())
      return {
        version: at,
        entries: entries.map(({ definition }) => fromJson<SiteEntry>(definition)),
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
          ...(changes.finishes === undefined ? [] : [finishChange(changes.finishes)]),
        ])
        return true
      } catch (error) {
        if (isConflict(error, 'rows')) return false
        throw error
      }
    },

    async findHoldings({ stations, sensors, structures }) {
      return {
        stations: await filterHeld(stations, ofStation),
        sensors: await filterHeld(sensors, ofSensor),
        structures: await filterHeld(structures, ofStructure),
      } satisfies Holdings
    },
  }

  /** The ids of which a query finds a record. */
  async function filterHeld<Id>(
    ids: readonly Id[],
    recordsOf: (id: Id) => CompiledQuery,
  ): Promise<Id[]> {
    const held: Id[] = []
    for (const id of ids) if ((await first(recordsOf(id))) !== undefined) held.push(id)
    return held
  }

  // One query for all tables: a record that is sealed between two queries would be in neither.
  function ofStation(id: number): CompiledQuery {
    const found = sql<number>`1`.as('found')
    return build
      .selectFrom('theme_records')
      .select(found)
      .where('source', '=', id)
      .unionAll(build.selectFrom('theme_sealed_parts').select(found).where('source', '=', id))
      .unionAll(build.selectFrom('theme_marks').select(found).where('source', '=', id))
      .unionAll(build.selectFrom('waveforms').select(found).where('station_id', '=', id))
      .unionAll(build.selectFrom('manual_readings').select(found).where('station_id', '=', id))
      .limit(1)
      .compile()
  }

  function ofSensor(id: string): CompiledQuery {
    const found = sql<number>`1`.as('found')
    const key = build.selectFrom('sensors').select('key').where('id', '=', id)
    return build
      .selectFrom('raw_records')
      .select(found)
      .where('source', '=', key)
      .unionAll(build.selectFrom('raw_sealed_parts').select(found).where('source', '=', key))
      .unionAll(build.selectFrom('raw_marks').select(found).where('source', '=', key))
      .limit(1)
      .compile()
  }

  function ofStructure(id: number): CompiledQuery {
    return build
      .selectFrom('traffic_records')
      .select('time')
      .where('structure_id', '=', id)
      .limit(1)
      .compile()
  }
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
    insertNew('sensors', ['id'], sensors),
    insertNew('default_groups', ['structure_id', 'factor_id'], ungrouped),
  ].filter(({ values }) => values.length > 0)
}

/** Only new rows are tried: each attempt would take an id of PostgreSQL's sequence, stored or not. */
function insertNew(
  table: 'sensors' | 'default_groups',
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): Statement {
  const names = columns.join(', ')
  const isSame = columns.map((column) => `known.${column} = ?`).join(' and ')
  return many(
    `insert into ${table} (${names}) select ${columns.map(() => '?').join(', ')}
      where not exists (select 1 from ${table} as known where ${isSame})
      on conflict (${names}) do nothing`,
    rows.map((row) => [...row, ...row]),
  )
}

function removals({ remove, withRecords }: SiteChanges): Statement[] {
  const stations = remove.filter(({ kind }) => kind === 'station').map(({ id }) => [id])
  const devices = remove.filter(({ kind }) => kind === 'device').map(({ id }) => [id])
  const structures = remove.filter(({ kind }) => kind === 'structure').map(({ id }) => [id])
  const records = [
    ...['records', 'marks', 'sealed_parts', 'open_days', 'open_hours'].flatMap((table) => [
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
    many(`delete from traffic_records where structure_id = ?`, structures),
  ]
  return [
    many(
      `delete from site_entries where kind = ? and id = ?`,
      remove.map(({ kind, id }) => [kind, String(id)]),
    ),
    ...(withRecords ? records : []),
  ].filter(({ values }) => values.length > 0)
}

/** Run before the additions: a user that is added again does not get revoked applications back. */
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

/** With the site, so that no record is rewritten a second time after the site has changed. */
const finishChange = ({ change, now }: NonNullable<SiteChanges['finishes']>): Statement => ({
  sql: `update changes set finished_at = ? where id = ?`,
  width: 2,
  values: [now, change],
})

const ofSources = (kind: RecordKind) => ({ checked: { kind, as: 'sources' } as const })

const many = (sql: string, rows: readonly (readonly unknown[])[]): Statement => ({
  sql,
  width: rows[0]?.length ?? 1,
  values: rows.flat(),
})
