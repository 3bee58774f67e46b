/** The bytes of a row beside its texts, roughly. */
const ROW_BYTES = 64

const BYTES = `(${ROW_BYTES} + length(new.payload) + length(cast(new.reason as blob))
    + length(cast(new.place as blob)) + length(cast(coalesce(new.context, '') as blob)))`

/** Rejects, the bytes that each source has of them, and the number of dropped ones. */
export const rejects = [
  // `context`: the data that a replay needs beside the payload.
  `create table rejects (
    id integer primary key autoincrement,
    kind text not null,
    origin text not null,
    source text not null,
    place text not null,
    reason text not null,
    payload blob not null,
    context text,
    received_at integer not null,
    bytes integer not null default 0
  )`,
  `create index rejects_by_origin on rejects (origin, id)`,
  `create index rejects_by_source on rejects (source, id, bytes)`,
  `create table reject_drops (origin text primary key, dropped integer not null) without rowid`,
  `create table reject_bytes (source text primary key, bytes integer not null) without rowid`,
  `create trigger rejects_added after insert on rejects begin
    update rejects set bytes = ${BYTES} where id = new.id;
    insert into reject_bytes (source, bytes) values (new.source, ${BYTES})
      on conflict (source) do update set bytes = reject_bytes.bytes + excluded.bytes;
  end`,
  `create trigger rejects_removed after delete on rejects begin
    update reject_bytes set bytes = bytes - old.bytes where source = old.source;
  end`,
] as const
