import Sqlite from 'better-sqlite3'

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

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
