import type { Database } from 'better-sqlite3'
import { rejectedSource } from '../../../domain/rejects/rejected-source.ts'

/** About what a row takes beside its texts. */
const ROW_BYTES = 64

const bytesOf = (row: string): string =>
  `(${ROW_BYTES} + length(${row}.payload) + length(cast(${row}.reason as blob))
    + length(cast(${row}.place as blob)) + length(cast(coalesce(${row}.context, '') as blob)))`

/** How many bytes of rejected records each source has. */
export const rejectedBytes = [
  `alter table rejects add column source text not null default ''`,
  `alter table rejects add column bytes integer not null default 0`,
  `create index rejects_by_source on rejects (source, id, bytes)`,
  `create table reject_bytes (source text primary key, bytes integer not null) without rowid`,
  `create trigger rejects_added after insert on rejects begin
    update rejects set bytes = ${bytesOf('new')} where id = new.id;
    insert into reject_bytes (source, bytes) values (new.source, ${bytesOf('new')})
      on conflict (source) do update set bytes = reject_bytes.bytes + excluded.bytes;
  end`,
  `create trigger rejects_removed after delete on rejects begin
    update reject_bytes set bytes = bytes - old.bytes where source = old.source;
  end`,
] as const

/** Counts what is there already. */
export function countRejectedBytes(database: Database): void {
  const origins = database.prepare('select distinct origin from rejects').pluck().all() as string[]
  const update = database.prepare(
    `update rejects set source = ?, bytes = ${bytesOf('rejects')} where origin = ?`,
  )
  for (const origin of origins) update.run(rejectedSource(origin), origin)
  database.exec(`insert into reject_bytes (source, bytes)
    select source, sum(bytes) from rejects group by source`)
}
