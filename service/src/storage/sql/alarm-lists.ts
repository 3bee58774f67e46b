import { setImmediate as nextTurn } from 'node:timers/promises'
import { toAlarm, toListed, type AlarmRow } from './alarm-rows.ts'
import type { SqlEngine } from './engine.ts'
import { AlarmTable } from '../alarm-lists/alarm-table.ts'
import type { AlarmFilter, AlarmQuery, StoredAlarm } from '../storage.ts'

/** How many alarms are loaded before others have their turn. */
const PIECE = 1_000

/** What was read of all alarms: it is complete up to a version, and since then nothing went. */
type Loaded = { table: AlarmTable; version: number; removals: number }

/**
 * Lists of alarms from memory, brought up to date with the database before each.
 *
 * The first to ask waits until all alarms are loaded. Whoever changes an alarm, in whatever
 * process, gives it the version of that change, so that the others read what they have not seen.
 */
export class AlarmLists {
  readonly #engine: Pick<SqlEngine, 'build' | 'all' | 'check'>
  #loaded: Loaded | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(engine: Pick<SqlEngine, 'build' | 'all' | 'check'>) {
    this.#engine = engine
  }

  async prepare(): Promise<void> {
    await this.#catchUpInTurn()
  }

  async count(filter: AlarmFilter): Promise<number> {
    const { table } = await this.#catchUpInTurn()
    return table.count(filter)
  }

  async read(query: AlarmQuery): Promise<{ count: number; alarms: StoredAlarm[] }> {
    const { build, all } = this.#engine
    while (true) {
      const { table, version } = await this.#catchUpInTurn()
      const { count, ids } = table.page(query, query)
      if (ids.length === 0) return { count, alarms: [] }
      for (const id of ids) this.#engine.check({ table: 'alarms', from: id })
      const page = build.selectFrom('alarms').selectAll().where('id', 'in', ids)
      const rows = new Map((await all<AlarmRow>(page.compile())).map((row) => [row.id, row]))
      const found = ids.flatMap((id) => rows.get(id) ?? [])
      // One of them has changed in between, and may belong on another page now.
      if (found.length < ids.length || found.some((row) => row.version > version)) continue
      return { count, alarms: found.map(toAlarm) }
    }
  }

  /** One after the other; each sees what was committed before it was asked. */
  #catchUpInTurn(): Promise<Loaded> {
    const turn = this.#last.then(() => this.#catchUp())
    this.#last = turn.catch(() => {})
    return turn
  }

  async #catchUp(): Promise<Loaded> {
    const loaded = this.#loaded ?? (await this.#load())
    const rows = await this.#readChanges(loaded.version)
    const { removals } = rows[0]!
    const changed = rows.filter(isAlarm).toSorted((one, two) => one.id - two.id)
    if (removals !== loaded.removals || !changed.every((row) => loaded.table.put(toListed(row)))) {
      this.#loaded = undefined
      return this.#catchUp()
    }
    for (const { version } of changed) loaded.version = Math.max(loaded.version, version)
    this.#loaded = loaded
    return loaded
  }

  /** One statement, so that the changes and the number of removals are of one moment. */
  #readChanges(since: number): Promise<StateRow[]> {
    const { build, all } = this.#engine
    const query = build
      .selectFrom('alarm_state')
      .leftJoin('alarms', (join) => join.on('alarms.version', '>', since))
      .select('alarm_state.removals')
      .select(LISTED)
    return all<StateRow>(query.compile())
  }

  /** In pieces, each in a short transaction; what changes meanwhile is a change since then. */
  async #load(): Promise<Loaded> {
    const { build, all, check } = this.#engine
    const state = build.selectFrom('alarm_state').select(['version', 'removals'])
    const [{ version, removals } = { version: 0, removals: 0 }] = await all<Loaded>(state.compile())
    const loaded = { table: new AlarmTable(), version, removals }
    let last = Number.MIN_SAFE_INTEGER
    while (true) {
      const piece = build
        .selectFrom('alarms')
        .select(LISTED)
        .where('id', '>', last)
        .orderBy('id')
        .limit(PIECE)
      const rows = await all<ListedRow>(piece.compile())
      const end = rows.length < PIECE ? Number.MAX_SAFE_INTEGER : rows.at(-1)!.id
      check({ table: 'alarms', from: last + 1, to: end })
      for (const row of rows) loaded.table.put(toListed(row))
      if (rows.length < PIECE) break
      last = rows.at(-1)!.id
      await nextTurn()
    }
    for (const order of ORDERS) {
      loaded.table.sort(order)
      await nextTurn()
    }
    return loaded
  }
}

const ORDERS = ['level', 'count', 'startTime', 'endTime'] as const

const LISTED = [
  'alarms.id',
  'alarms.structure_id',
  'alarms.source_id',
  'alarms.source_name',
  'alarms.category',
  'alarms.level',
  'alarms.content',
  'alarms.count',
  'alarms.state',
  'alarms.start_time',
  'alarms.end_time',
  'alarms.version',
] as const

type ListedRow = Omit<AlarmRow, 'source_type' | 'type_code'>

/** Without a change, every column of an alarm is null. */
type StateRow = { removals: number } & (ListedRow | { id: null })

const isAlarm = (row: StateRow): row is StateRow & ListedRow => row.id !== null
