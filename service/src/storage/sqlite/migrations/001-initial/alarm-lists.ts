/** The columns of keyword and window conditions: with them in each index no row is read. */
const FILTERED = 'start_time, end_time, source_name_id, template_id, numbers'

const ofGroup = (row: 'old' | 'new'): string =>
  `structure_id = ${row}.structure_id and level = ${row}.level and category = ${row}.category`

const countNew = (
  where: string,
): string => `insert into alarm_counts (structure_id, level, category, closed)
    select new.structure_id, new.level, new.category, 1 where ${where}
    on conflict do update set closed = closed + 1`

const countOld = (where: string): string =>
  `update alarm_counts set closed = closed - 1 where ${where} and ${ofGroup('old')}`

/**
 * Indexes and counts for lists of closed alarms, which are many and hardly change. Open alarms are
 * few and change with each record: they have none.
 */
export const alarmLists = [
  `create index alarms_by_group
    on alarms (structure_id, level, category, ${FILTERED}, count) where state >= 3`,
  `create index alarms_by_level
    on alarms (level, id, structure_id, category, ${FILTERED}) where state >= 3`,
  `create index alarms_by_count
    on alarms (count, id, structure_id, level, category, ${FILTERED}) where state >= 3`,
  `create index alarms_by_start
    on alarms (start_time, id, structure_id, level, category, ${FILTERED.replace('start_time, ', '')})
    where state >= 3`,
  `create index alarms_by_end
    on alarms (end_time, id, structure_id, level, category, ${FILTERED.replace('end_time, ', '')})
    where state >= 3`,
  // The number of closed alarms.
  `create table alarm_counts (
    structure_id integer not null,
    level integer not null,
    category integer not null,
    closed integer not null,
    primary key (structure_id, level, category)
  ) without rowid`,
  `create trigger alarm_counts_insert after insert on alarms when new.state >= 3
    begin ${countNew('true')}; end`,
  `create trigger alarm_counts_delete after delete on alarms when old.state >= 3
    begin ${countOld('true')}; end`,
  `create trigger alarm_counts_update after update of structure_id, level, category, state on alarms
    when old.state >= 3 or new.state >= 3
    begin ${countOld('old.state >= 3')}; ${countNew('new.state >= 3')}; end`,
] as const
