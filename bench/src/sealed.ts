import Sqlite from 'better-sqlite3'
import { registerRowCheck } from '../../service/src/storage/sqlite/integrity/row-check.ts'

/** Looks into the sealed days of a data file, while a service may have it open. */
export class SealedFile implements Disposable {
  readonly #database: Sqlite.Database

  constructor(file: string) {
    this.#database = new Sqlite(file, { readonly: true })
  }

  count(): number {
    return this.#database.prepare('select count(*) from theme_sealed_parts').pluck().get() as number
  }

  /** The compressed bytes of a station's day that begins at an instant. */
  deflated(station: number, start: number): Buffer {
    const sql = `select bytes from theme_sealed_chunks
      where part_id = (select id from theme_sealed_parts where source = ? and start = ?) order by chunk`
    const chunks = this.#database.prepare(sql).pluck().all(station, start) as Buffer[]
    if (chunks.length === 0) throw new Error(`station ${station} has no sealed day at ${start}`)
    return Buffer.concat(chunks)
  }

  /** The parts with a higher id: their records, and their bytes with headers. */
  measureAfter(id: number): { records: number; bytes: number } {
    const sql = `select (select sum(count) from theme_sealed_parts where id > :id) as records,
      (select sum(length(bytes)) from theme_sealed_chunks where part_id > :id)
        + (select sum(length(times) + length(newest) + length(hours)) from theme_sealed_parts
          where id > :id) as bytes`
    return this.#database.prepare(sql).get({ id }) as { records: number; bytes: number }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}

const PART_COLUMNS =
  'start, until, count, first, last, length, crc, times, newest, hours, header_crc, deflated_crc, bounds_crc'

/**
 * Gives the sealed parts with a higher id than `after` to further stations too, until there are `times`
 * as many; returns the highest id.
 */
export function widen(file: string, times: number, after = 0): number {
  const database = new Sqlite(file)
  registerRowCheck(database)
  database.pragma('synchronous = OFF')
  const highest = (column: string): number =>
    Number(
      database
        .prepare(`select max(${column}) from theme_sealed_parts where id > ?`)
        .pluck()
        .get(after),
    )
  const [id, source] = [highest('id'), highest('source')]
  for (let copy = 1; copy < times; copy++)
    database.exec(`begin;
      insert into theme_sealed_parts (id, source, ${PART_COLUMNS})
        select id + ${copy * (id - after)}, source + ${copy * source}, ${PART_COLUMNS}
        from theme_sealed_parts where id > ${after} and id <= ${id} order by id;
      insert into theme_sealed_chunks (part_id, chunk, bytes)
        select part_id + ${copy * (id - after)}, chunk, bytes from theme_sealed_chunks
        where part_id > ${after} and part_id <= ${id} order by part_id, chunk;
      commit`)
  const last = highest('id')
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  return last
}
