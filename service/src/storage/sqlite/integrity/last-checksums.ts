import type { RecordKind } from '../../stores/records.ts'
import type { Statements } from '../connection/statements.ts'
import {
  CHECKSUM_COLUMNS,
  fromChecksum,
  toLastChecksum,
  type LastChecksum,
  type LastChecksumRow,
} from './checksum-rows.ts'

/** The cache holds this many sources, which takes some 3 MB. */
const SOURCES_MAXIMUM = 10_000

/** The last checksum of each source, cached until another connection writes. */
export class LastChecksums {
  readonly #statements: Statements
  readonly #cache = {
    theme: new Map<number, LastChecksum | undefined>(),
    raw: new Map<number, LastChecksum | undefined>(),
  }
  #version: number | undefined

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Has to be called in a transaction: empties the cache where another connection has written. */
  begin(): void {
    const [row] = this.#statements.all<[version: number]>('pragma data_version')
    const version = row?.[0]
    if (version !== undefined && version === this.#version) return
    this.#version = version
    this.clear()
  }

  clear(): void {
    this.#cache.theme.clear()
    this.#cache.raw.clear()
  }

  get(kind: RecordKind, source: number): LastChecksum | undefined {
    const cache = this.#cache[kind]
    const cached = cache.get(source)
    if (cached !== undefined || cache.has(source)) return cached
    const sql = `select ${CHECKSUM_COLUMNS}, newest from ${kind}_last_checksums where source = ?`
    const [row] = this.#statements.all<LastChecksumRow>(sql, source)
    return this.#keep(kind, source, row && toLastChecksum(row))
  }

  set(kind: RecordKind, source: number, last: LastChecksum): void {
    const sql = `insert or replace into ${kind}_last_checksums (source, ${CHECKSUM_COLUMNS}, newest)
      values (?, ?, ?, ?, ?, ?, ?, ?)`
    this.#statements.get(sql).run(source, ...fromChecksum(last), last.newest)
    this.#keep(kind, source, last)
  }

  delete(kind: RecordKind, source: number): void {
    this.#statements.get(`delete from ${kind}_last_checksums where source = ?`).run(source)
    this.#keep(kind, source, undefined)
  }

  #keep(
    kind: RecordKind,
    source: number,
    last: LastChecksum | undefined,
  ): LastChecksum | undefined {
    const cache = this.#cache[kind]
    if (cache.size >= SOURCES_MAXIMUM) cache.clear()
    cache.set(source, last)
    return last
  }
}
