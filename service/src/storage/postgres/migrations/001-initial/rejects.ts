import { ID, TEXT } from '../column-types.ts'

/** The bytes of a row beside its texts, roughly. */
const ROW_BYTES = 64

/** Rejects, the bytes that each source has of them, and the number of dropped ones. */
export const rejects = [
  // `context`: the data that a replay needs beside the payload.
  `create table rejects (
    id ${ID},
    kind ${TEXT} not null,
    origin ${TEXT} not null,
    source ${TEXT} not null,
    place ${TEXT} not null,
    reason ${TEXT} not null,
    payload bytea not null,
    context ${TEXT},
    received_at bigint not null,
    bytes bigint not null generated always as (${ROW_BYTES} + length(payload) + octet_length(reason)
      + octet_length(place) + coalesce(octet_length(context), 0)) stored
  )`,
  `create index rejects_by_origin on rejects (origin, id)`,
  `create index rejects_by_source on rejects (source, id, bytes)`,
  `create table reject_drops (origin ${TEXT} primary key, dropped bigint not null)`,
  // Several rows of a source add up to its bytes, as those of `alarm_count_parts` do.
  `create table reject_byte_parts (id ${ID}, source ${TEXT} not null, bytes bigint not null)`,
  `create index reject_byte_parts_by_source on reject_byte_parts (source)`,
  `create view reject_bytes as
    select source, sum(bytes)::bigint as bytes from reject_byte_parts group by source`,
  `create function add_reject_bytes(of_source text, more bigint) returns void language plpgsql as $$
  declare free bigint;
  begin
    select id into free from reject_byte_parts where source = of_source
      limit 1 for update skip locked;
    if found then
      update reject_byte_parts set bytes = bytes + more where id = free;
    else
      insert into reject_byte_parts (source, bytes) values (of_source, more);
    end if;
  end $$`,
  `create function add_bytes_of_rejects() returns trigger language plpgsql as $$
  begin
    perform add_reject_bytes(source, sum(bytes)::bigint) from added group by source;
    return null;
  end $$`,
  `create function take_bytes_of_rejects() returns trigger language plpgsql as $$
  begin
    perform add_reject_bytes(source, -sum(bytes)::bigint) from removed group by source;
    return null;
  end $$`,
  `create trigger rejects_added after insert on rejects referencing new table as added
    for each statement execute function add_bytes_of_rejects()`,
  `create trigger rejects_removed after delete on rejects referencing old table as removed
    for each statement execute function take_bytes_of_rejects()`,
] as const
