import {
  CHECKSUM_COLUMNS,
  fromChecksum,
  toChecksum,
  type ChecksumRow,
  type Tail,
  type TailRow,
} from '../integrity/checksum-rows.ts'
import type { Statements } from '../connection/statements.ts'
import type { RecordKind } from '../../storage.ts'

/** Memory of so many sources takes some 3 MB. */
const SOURCES_MAXIMUM = 10_000

/** The last checksum of each source, remembered as long as nobody else writes. */
export class Tails {
  readonly #statements: Statements
  readonly #known = {
    theme: new Map<number, Tail | undefined>(),
    raw: new Map<number, Tail | undefined>(),
  }
  #version = -1

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Within a transaction: what others have written is seen from here on. */
  begin(): void {
    const [row] = this.#statements.all<[number]>('pragma data_version')
    if (row![0] === this.#version) return
    this.#version = row![0]
    this.forget()
  }

  forget(): void {
    this.#known.theme.clear()
    this.#known.raw.clear()
  }

  get(kind: RecordKind, source: number): Tail | undefined {
    const known = this.#known[kind]
    const tail = known.get(source)
    if (tail !== undefined || known.has(source)) return tail
    const sql = `select ${CHECKSUM_COLUMNS}, newest from ${kind}_last_checksums where source = ?`
    const [row] = this.#statements.all<TailRow>(sql, source)
    return this.#remember(kind, source, row && toTail(row))
  }

  set(kind: RecordKind, source: number, tail: Tail): void {
    const sql = `insert or replace into ${kind}_last_checksums (source, ${CHECKSUM_COLUMNS}, newest)
      values (?, ?, ?, ?, ?, ?, ?, ?)`
    this.#statements.get(sql).run(source, ...fromChecksum(tail), tail.newest)
    this.#remember(kind, source, tail)
  }

  delete(kind: RecordKind, source: number): void {
    this.#statements.get(`delete from ${kind}_last_checksums where source = ?`).run(source)
    this.#remember(kind, source, undefined)
  }

  #remember(kind: RecordKind, source: number, tail: Tail | undefined): Tail | undefined {
    const known = this.#known[kind]
    if (known.size >= SOURCES_MAXIMUM) known.clear()
    known.set(source, tail)
    return tail
  }
}

const toTail = (row: TailRow): Tail => ({
  ...toChecksum(row.slice(0, -1) as unknown as ChecksumRow),
  newest: row[6],
})
