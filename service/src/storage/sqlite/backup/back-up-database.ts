import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { syncFile } from '../../sync-to-disk.ts'
import { attachForReading, attachUnfinished, openUnfinished } from './attach.ts'
import { chooseSegments, type EarlierSegment } from './choose-segments.ts'
import { copyFileInUse, type CopiedFile } from './copy-file.ts'
import { copyFixedRows, createSegment } from './copy-fixed-rows.ts'
import { copyOtherTables } from './copy-other-tables.ts'
import { FIXED_ROWS, type FixedRows } from './fixed-rows.ts'

export type DatabaseBackup = {
  /** The database file, and a descriptor that outlives every connection of this process to it. */
  source: { file: string; descriptor: number }
  /** The files that are made. */
  to: { database: string; places: string }
  /** The segment that is made; without rows for it the file is empty of them. */
  segment: { name: string; file: string }
  /** The segment that a first backup makes of the file as it is. */
  whole: { name: string; file: string }
  /** The places of an earlier backup of this database, with the segments of it that are whole. */
  base: { places: string; segments: ReadonlyMap<string, EarlierSegment> } | undefined
  signal: AbortSignal
  now(): number
  onProgress(bytes: number, total: number): void
}

export type DatabaseCopy = {
  /** The version of the database. */
  version: number
  /** The instant of the snapshot, in epoch milliseconds. */
  instant: number
  /** The rows of each table; of sealed days, waveforms and pictures how many there are. */
  rows: Record<string, number>
  /** Records of stations and of sensors. */
  records: { theme: number; raw: number }
  /** The segments that hold rows of it. */
  segments: string[]
  /** How many ids the segments were made for that this backup has made. */
  newIds: number
  wholeIds: number
  /** The whole file, where it was copied. */
  whole: CopiedFile | undefined
}

/**
 * Copies a database in use: rows that never change into a segment, unless an earlier one has them, and
 * all other tables in one snapshot.
 */
export async function backUpDatabase(backup: DatabaseBackup): Promise<DatabaseCopy> {
  const { to, source, segment, base } = backup
  const database = openUnfinished(to.database)
  try {
    database.pragma('auto_vacuum = INCREMENTAL')
    attachForReading(database, source.file, 'live')
    attachUnfinished(database, to.places, 'places')
    const copy = new Copying(database, backup)
    if (base === undefined) await copy.copyWholeFile()
    else copy.attachBase(base)
    await copy.copyNewRows()
    const result = copy.copySnapshot()
    database.close()
    for (const file of [to.database, to.places, segment.file]) syncFile(file)
    return result
  } finally {
    database.close()
  }
}

const NEW_SEGMENT = 0
const WHOLE_FILE = 1
const FIRST_KEPT = 2

/** The state of a backup under way. */
class Copying {
  readonly #database: Database
  readonly #backup: DatabaseBackup
  #kept: string[] = []
  readonly #total: number
  #done = 0
  #whole: CopiedFile | undefined

  constructor(database: Database, backup: DatabaseBackup) {
    this.#database = database
    this.#backup = backup
    const reused = [...(backup.base?.segments.values() ?? [])].reduce(
      (sum, one) => sum + one.bytes,
      0,
    )
    this.#total = Math.max(1, statSync(backup.source.file).size - reused)
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

  /** The first backup: the file as it is, which takes less than half the time of its rows. */
  async copyWholeFile(): Promise<void> {
    const { source, whole, signal } = this.#backup
    const database = this.#database
    this.#whole = await copyFileInUse(
      database,
      { ...source, to: whole.file, signal, onBytes: (bytes) => this.#progress(bytes) },
      () => {
        for (const { kind, list } of FIXED_ROWS)
          database.exec(`insert into temp.whole_${kind} ${list('live')}`)
      },
    )
  }

  /** Chooses what of an earlier backup is used again. */
  attachBase({ places, segments }: NonNullable<DatabaseBackup['base']>): void {
    attachForReading(this.#database, places, 'base')
    this.#listLive()
    this.#kept = chooseSegments(this.#database, segments)
  }

  /** Copies rows that no segment has, in short reads. */
  async copyNewRows(): Promise<void> {
    const database = this.#database
    attachUnfinished(database, this.#backup.segment.file, 'segment')
    createSegment(database)
    this.#listLive()
    this.#placeKept()
    for (const fixed of FIXED_ROWS)
      for (const _ of this.#copyMissing(fixed)) {
        await setImmediate()
        this.#backup.signal.throwIfAborted()
      }
    for (const name of [...FIXED_ROWS.map(({ kind }) => kind), 'segments'])
      database.exec(`delete from places.${name}`)
  }

  /** In one snapshot: where each row that never changes is, and all other tables. */
  copySnapshot(): DatabaseCopy {
    const database = this.#database
    database.exec('begin')
    database.prepare('select count(*) from live.sqlite_master').get()
    const instant = this.#backup.now()
    this.#listLive()
    this.#placeKept()
    for (const fixed of FIXED_ROWS) {
      this.#placeLive(fixed, NEW_SEGMENT, 'new')
      for (const _ of this.#copyMissing(fixed));
      this.#placeLive(fixed, NEW_SEGMENT, 'new')
    }
    const rows = copyOtherTables(database)
    const version = Number(database.pragma('live.user_version', { simple: true }))
    database.pragma(`main.user_version = ${version}`)
    database.exec('commit')
    this.#progress(Infinity)
    for (const { kind, tables } of FIXED_ROWS)
      rows.set(tables[0]!.name, this.#number(`select count(*) from places.${kind}`))
    return {
      version,
      instant,
      rows: Object.fromEntries(rows),
      records: { theme: this.#countRecords('theme'), raw: this.#countRecords('raw') },
      segments: this.#endSegments(),
      newIds: this.#countIds('new'),
      wholeIds: this.#countIds('whole'),
      whole: this.#whole,
    }
  }

  #listLive(): void {
    for (const { kind, list } of FIXED_ROWS)
      this.#database.exec(`delete from temp.live_${kind};
        insert into temp.live_${kind} ${list('live')}`)
  }

  /** Places what the segments have that are used again, and the whole file. */
  #placeKept(): void {
    const { whole, segment } = this.#backup
    this.#note(NEW_SEGMENT, segment.name)
    if (this.#whole !== undefined) {
      this.#note(WHOLE_FILE, whole.name)
      for (const fixed of FIXED_ROWS) this.#placeLive(fixed, WHOLE_FILE, 'whole')
    }
    for (const [at, name] of this.#kept.entries()) this.#placeSegment(FIRST_KEPT + at, name)
  }

  #note(number: number, name: string): void {
    this.#database
      .prepare('insert into places.segments (number, name) values (?, ?)')
      .run(number, name)
  }

  #placeSegment(number: number, name: string): void {
    this.#note(number, name)
    for (const { kind } of FIXED_ROWS)
      this.#database
        .prepare(
          `insert into places.${kind} select id, ?, records from base.${kind}
            where segment = (select number from base.segments where name = ?)
              and id in (select id from temp.live_${kind})`,
        )
        .run(number, name)
  }

  /** Places what is in the new segment or in the whole file. */
  #placeLive({ kind, records }: FixedRows, number: number, table: 'new' | 'whole'): void {
    this.#database.exec(`insert or ignore into places.${kind}
      select id, ${number}, ${records} from temp.live_${kind} as placed
      where id in (select id from temp.${table}_${kind})`)
  }

  /** Copies what no segment has yet into the new one. */
  *#copyMissing(fixed: FixedRows): Generator<void> {
    const { kind } = fixed
    const missing = this.#database
      .prepare<[], number>(
        `select id from temp.live_${kind} where id not in (select id from places.${kind}) order by id`,
      )
      .pluck()
      .all()
    const { file } = this.#backup.segment
    let before = statSync(file).size
    const note = this.#database.prepare(`insert into temp.new_${kind} values (?)`)
    for (const ids of copyFixedRows(this.#database, fixed, missing)) {
      for (const id of ids) note.run(id)
      const { size } = statSync(file)
      this.#progress(size - before)
      before = size
      yield
    }
  }

  #progress(bytes: number): void {
    this.#done = Math.min(this.#done + bytes, this.#total)
    this.#backup.onProgress(this.#done, this.#total)
  }

  #countRecords(kind: 'theme' | 'raw'): number {
    return this.#number(`select (select coalesce(sum(records), 0) from places.${kind})
      + (select count(*) from main.${kind}_records)`)
  }

  #number(sql: string): number {
    return Number(this.#database.prepare(sql).pluck().get())
  }

  #countIds(table: 'new' | 'whole'): number {
    const counts = FIXED_ROWS.map(({ kind }) => `(select count(*) from temp.${table}_${kind})`)
    return this.#number(`select ${counts.join(' + ')}`)
  }

  #endSegments(): string[] {
    const used = FIXED_ROWS.map(({ kind }) => `select segment from places.${kind}`).join(' union ')
    this.#database.exec(`delete from places.segments where number not in (${used})`)
    return this.#database
      .prepare<[], string>('select name from places.segments order by number')
      .pluck()
      .all()
  }
}
