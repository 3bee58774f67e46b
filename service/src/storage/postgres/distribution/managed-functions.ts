/**
 * Functions of triggers as Citus runs them: a query over a table that it manages must not read the rows
 * of the transition as well. They do the same on tables that are not managed.
 */
export const MANAGED_FUNCTIONS: readonly string[] = [
  // Citus refuses `currval` in an update, which is called volatile.
  `create or replace function last_id(of_table text) returns bigint stable language plpgsql as $$
  begin
    return currval(pg_get_serial_sequence(of_table, 'id'));
  end $$`,
  `create or replace function delete_chunks_of_waveforms() returns trigger language plpgsql as $$
  declare
    ids bigint[] := array(select id from removed);
    ended bigint;
  begin
    foreach ended in array ids loop
      if not exists (select 1 from change_waveforms where previous = ended) then
        perform delete_chunks(ended);
      end if;
    end loop;
    return null;
  end $$`,
  `create or replace function delete_chunks_of_changes() returns trigger language plpgsql as $$
  declare
    ids bigint[] := array(select distinct previous from removed where previous is not null);
    ended bigint;
  begin
    foreach ended in array ids loop
      if not exists (select 1 from waveforms where id = ended)
        and not exists (select 1 from change_waveforms where previous = ended) then
        perform delete_chunks(ended);
      end if;
    end loop;
    return null;
  end $$`,
]
