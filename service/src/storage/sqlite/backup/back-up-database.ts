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
import { Places } from './places.ts'

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
    const copy = new DatabaseCopying(database, backup)
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

/** A backup under way. */
class DatabaseCopying {
  readonly #database: Database
  readonly #backup: DatabaseBackup
  readonly #places: Places
  #kept: string[] = []
  readonly #total: number
  #done = 0
  #whole: CopiedFile | undefined

  constructor(database: Database, backup: DatabaseBackup) {
    this.#database = database
    this.#backup = backup
    const { segment, whole, base, source } = backup
    this.#places = new Places(database, { segment: segment.name, whole: whole.name })
    const reused = [...(base?.segments.values() ?? [])].reduce((sum, { bytes }) => sum + bytes, 0)
    this.#total = Math.max(1, statSync(source.file).size - reused)
  }

  /** The first backup: the file as it is, which takes less than half the time of its rows. */
  async copyWholeFile(): Promise<void> {
    const { source, whole, signal } = this.#backup
    this.#whole = await copyFileInUse(
      this.#database,
      { ...source, to: whole.file, signal, onBytes: (bytes) => this.#progress(bytes) },
      () => this.#places.noteWhole(),
    )
  }

  /** Chooses what of an earlier backup is used again. */
  attachBase({ places, segments }: NonNullable<DatabaseBackup['base']>): void {
    attachForReading(this.#database, places, 'base')
    this.#places.listLive()
    this.#kept = chooseSegments(this.#database, segments)
  }

  /** Copies rows that no segment has, in short reads. */
  async copyNewRows(): Promise<void> {
    attachUnfinished(this.#database, this.#backup.segment.file, 'segment')
    createSegment(this.#database)
    this.#places.listLive()
    this.#places.placeCopied(this.#kept)
    for (const fixed of FIXED_ROWS)
      for (const _ of this.#copyMissing(fixed)) {
        await setImmediate()
        this.#backup.signal.throwIfAborted()
      }
  }

  /** In one snapshot: where each row that never changes is, and all other tables. */
  copySnapshot(): DatabaseCopy {
    const database = this.#database
    const places = this.#places
    database.exec('begin')
    database.prepare('select count(*) from live.sqlite_master').get()
    const instant = this.#backup.now()
    places.listLive()
    places.placeCopied(this.#kept)
    for (const fixed of FIXED_ROWS) {
      places.placeNew(fixed)
      for (const _ of this.#copyMissing(fixed));
      places.placeNew(fixed)
    }
    const rows = copyOtherTables(database)
    const version = Number(database.pragma('live.user_version', { simple: true }))
    database.pragma(`main.user_version = ${version}`)
    database.exec('commit')
    this.#progress(Infinity)
    for (const { kind, tables } of FIXED_ROWS) rows.set(tables[0]!.name, places.countRows(kind))
    return {
      version,
      instant,
      rows: Object.fromEntries(rows),
      records: { theme: this.#countRecords('theme'), raw: this.#countRecords('raw') },
      segments: places.endSegments(),
      newIds: places.countCopied('new'),
      wholeIds: places.countCopied('whole'),
      whole: this.#whole,
    }
  }

  /** Copies what no segment has yet into the new one. */
  *#copyMissing(fixed: FixedRows): Generator<void> {
    const { file } = this.#backup.segment
    let before = statSync(file).size
    const missing = this.#places.listMissing(fixed.kind)
    for (const ids of copyFixedRows(this.#database, fixed, missing)) {
      this.#places.noteNew(fixed.kind, ids)
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
    const open = this.#database.prepare(`select count(*) from main.${kind}_records`)
    return this.#places.countRecords(kind) + Number(open.pluck().get())
  }
}
