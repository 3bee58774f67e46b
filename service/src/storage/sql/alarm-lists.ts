import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { toAlarm, toListed, type AlarmRow } from './alarm-rows.ts'
import type { SqlEngine } from './engine.ts'
import { AlarmTable } from '../alarm-lists/alarm-table.ts'
import type { AlarmFilter, AlarmQuery, StoredAlarm } from '../storage.ts'

/** How many alarms are loaded or brought up to date before others have their turn. */
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
    this.#loaded = loaded
    const rows = await this.#readChanges(loaded.version)
    const isAll = rows.length <= PIECE
    const isTaken =
      rows[0]!.removals === loaded.removals &&
      (isAll ? take(loaded.table, rows.filter(isAlarm)) : await this.#takeMany(loaded))
    if (!isTaken) this.#loaded = undefined
    if (!isTaken || !isAll) return this.#catchUp()
    for (const { version } of rows) loaded.version = Math.max(loaded.version, version ?? 0)
    return loaded
  }

  /** One statement, so that the changes and the number of removals are of one moment. */
  #readChanges(since: number): Promise<StateRow[]> {
    const { build, all } = this.#engine
    const query = build
      .selectFrom('alarm_version')
      .leftJoin('alarms', (join) => join.on('alarms.version', '>', since))
      .select('alarm_version.removals')
      .select(LISTED)
      .limit(PIECE + 1)
    return all<StateRow>(query.compile())
  }

  /**
   * Takes up the changes up to the version that there is now, in pieces; `false` where one of them
   * has no place. What changes meanwhile is a change since then.
   */
  async #takeMany(loaded: Loaded): Promise<boolean> {
    const { build, all } = this.#engine
    const { version } = await this.#readState()
    const { lastId } = loaded.table
    let isTaken = true
    await this.#inPieces(
      (last) =>
        all<ListedRow>(
          build
            .selectFrom('alarms')
            .select(LISTED)
            .where('version', '>', loaded.version)
            .where('version', '<=', version)
            // Not by the primary key: few of all alarms have changed.
            .where(sql<boolean>`+id > ${last} and +id <= ${lastId}`)
            .orderBy(sql`+id`)
            .limit(PIECE)
            .compile(),
        ),
      (rows) => void (isTaken &&= take(loaded.table, rows)),
    )
    if (!isTaken) return false
    await this.#takeFrom(loaded.table, lastId)
    loaded.version = version
    return true
  }

  /** In pieces, each in a short transaction; what changes meanwhile is a change since then. */
  async #load(): Promise<Loaded> {
    const loaded = { table: new AlarmTable(), ...(await this.#readState()) }
    await this.#takeFrom(loaded.table, Number.MIN_SAFE_INTEGER, this.#engine.check)
    return loaded
  }

  async #readState(): Promise<Omit<Loaded, 'table'>> {
    const { build, all } = this.#engine
    const query = build.selectFrom('alarm_version').select(['version', 'removals'])
    const [state] = await all<Omit<Loaded, 'table'>>(query.compile())
    return state ?? { version: 0, removals: 0 }
  }

  /** All alarms behind an id, and every order of them. */
  async #takeFrom(table: AlarmTable, from: number, check?: SqlEngine['check']): Promise<void> {
    const { build, all } = this.#engine
    const query = build.selectFrom('alarms').select(LISTED).orderBy('id').limit(PIECE)
    await this.#inPieces(
      (last) => all<ListedRow>(query.where('id', '>', Math.max(from, last)).compile()),
      (rows, last, to) => {
        check?.({ table: 'alarms', from: last + 1, to })
        take(table, rows)
      },
    )
    for (const order of ORDERS) {
      table.sort(order)
      await nextTurn()
    }
  }

  /** Reads pieces in the order of their ids, and takes each; others have their turn between them. */
  async #inPieces(
    read: (last: number) => Promise<ListedRow[]>,
    takePiece: (rows: readonly ListedRow[], last: number, to: number) => void,
  ): Promise<void> {
    for (let last = Number.MIN_SAFE_INTEGER; ; await nextTurn()) {
      const rows = await read(last)
      const isLast = rows.length < PIECE
      takePiece(rows, last, isLast ? Number.MAX_SAFE_INTEGER : rows.at(-1)!.id)
      if (isLast) return
      last = rows.at(-1)!.id
    }
  }
}

/** Puts alarms into the lists; `false` where one that is new is older than others that are there. */
function take(table: AlarmTable, rows: readonly ListedRow[]): boolean {
  const ordered = rows.toSorted((one, two) => one.id - two.id)
  return ordered.every((row) => table.put(toListed(row)))
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
type StateRow = { removals: number } & (ListedRow | { id: null; version: null })

const isAlarm = (row: StateRow): row is StateRow & ListedRow => row.id !== null
