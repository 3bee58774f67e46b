import type { Database } from 'better-sqlite3'
import { FIXED_ROWS, type FixedRows } from './fixed-rows.ts'

type Kind = FixedRows['kind']

const NEW_SEGMENT = 0
const WHOLE_FILE = 1
const FIRST_KEPT = 2

/**
 * The places of a backup under way: in which segment each row that never changes is. Beside them are
 * temporary tables with the ids that the database has, and with those that this backup has copied.
 */
export class Places {
  readonly #database: Database
  readonly #names: { segment: string; whole: string }

  /** The schema `places` is empty. `segment` is the name of the new one, `whole` that of the whole file. */
  constructor(database: Database, names: { segment: string; whole: string }) {
    this.#database = database
    this.#names = names
    for (const { kind } of FIXED_ROWS) {
      database.exec(
        `create table places.${kind} (id integer primary key, segment integer not null, records integer not null)`,
      )
      for (const table of ['live', 'new', 'whole'])
        database.exec(`create temp table ${table}_${kind} (id integer primary key)`)
    }
    database.exec(
      'create table places.segments (number integer primary key, name text not null unique)',
    )
  }

  /** Lists the ids that the database has now. */
  listLive(): void {
    for (const { kind, list } of FIXED_ROWS)
      this.#database.exec(`delete from temp.live_${kind};
        insert into temp.live_${kind} ${list('live')}`)
  }

  /** Notes that the whole file has all ids that the database has now. */
  noteWhole(): void {
    for (const { kind, list } of FIXED_ROWS)
      this.#database.exec(`insert into temp.whole_${kind} ${list('live')}`)
  }

  /** Notes what was copied into the new segment. */
  noteNew(kind: Kind, ids: readonly number[]): void {
    const note = this.#database.prepare(`insert into temp.new_${kind} values (?)`)
    for (const id of ids) note.run(id)
  }

  /** Begins anew: places what the whole file and the segments have that are used again. */
  placeCopied(kept: readonly string[]): void {
    for (const name of [...FIXED_ROWS.map(({ kind }) => kind), 'segments'])
      this.#database.exec(`delete from places.${name}`)
    this.#number(NEW_SEGMENT, this.#names.segment)
    this.#number(WHOLE_FILE, this.#names.whole)
    for (const fixed of FIXED_ROWS) this.#place(fixed, WHOLE_FILE, 'whole')
    for (const [at, name] of kept.entries()) this.#placeSegment(FIRST_KEPT + at, name)
  }

  /** Places what is in the new segment. */
  placeNew(fixed: FixedRows): void {
    this.#place(fixed, NEW_SEGMENT, 'new')
  }

  /** The ids that the database has and no segment. */
  listMissing(kind: Kind): number[] {
    return this.#database
      .prepare<[], number>(
        `select id from temp.live_${kind} where id not in (select id from places.${kind}) order by id`,
      )
      .pluck()
      .all()
  }

  /** Leaves out segments that hold nothing of the backup; returns the names of the others. */
  endSegments(): string[] {
    const used = FIXED_ROWS.map(({ kind }) => `select segment from places.${kind}`).join(' union ')
    this.#database.exec(`delete from places.segments where number not in (${used})`)
    return this.#database
      .prepare<[], string>('select name from places.segments order by number')
      .pluck()
      .all()
  }

  countRows(kind: Kind): number {
    return this.#count(`select count(*) from places.${kind}`)
  }

  /** The records in the rows of a kind. */
  countRecords(kind: Kind): number {
    return this.#count(`select coalesce(sum(records), 0) from places.${kind}`)
  }

  /** How many ids this backup has copied into the new segment, or had in the whole file. */
  countCopied(table: 'new' | 'whole'): number {
    const counts = FIXED_ROWS.map(({ kind }) => `(select count(*) from temp.${table}_${kind})`)
    return this.#count(`select ${counts.join(' + ')}`)
  }

  #count(sql: string): number {
    return Number(this.#database.prepare(sql).pluck().get())
  }

  #number(number: number, name: string): void {
    this.#database
      .prepare('insert into places.segments (number, name) values (?, ?)')
      .run(number, name)
  }

  #place({ kind, records }: FixedRows, number: number, table: 'new' | 'whole'): void {
    this.#database.exec(`insert or ignore into places.${kind}
      select id, ${number}, ${records} from temp.live_${kind} as placed
      where id in (select id from temp.${table}_${kind})`)
  }

  #placeSegment(number: number, name: string): void {
    this.#number(number, name)
    for (const { kind } of FIXED_ROWS)
      this.#database
        .prepare(
          `insert into places.${kind} select id, ?, records from base.${kind}
            where segment = (select number from base.segments where name = ?)
              and id in (select id from temp.live_${kind})`,
        )
        .run(number, name)
  }
}
