import { ID, TEXT } from '../column-types.ts'

/** Events, shelved alarms, portraits and positions on them. */
export const console = [
  // The transitions of alarms in the order in which they are notified.
  `create table alarm_events (
    id ${ID},
    alarm_id bigint not null,
    step bigint not null,
    created_at bigint not null
  )`,
  // `ended_at`: when it ended before its time. `ended_by`: why.
  `create table alarm_shelvings (
    id ${ID},
    alarm_id bigint not null,
    starts_at bigint not null,
    ends_at bigint not null,
    comment ${TEXT} not null,
    sponsor ${TEXT} not null,
    ended_at bigint,
    ended_by ${TEXT}
  )`,
  `create index alarm_shelvings_by_alarm on alarm_shelvings (alarm_id)`,
  `create index alarm_shelvings_under_way on alarm_shelvings (ends_at) where ended_at is null`,
  `create table portraits (
    structure_id bigint primary key,
    type ${TEXT} not null,
    hash ${TEXT} not null,
    picture bytea not null
  )`,
  `alter table portraits alter column picture set storage external`,
  `create table station_positions (
    station_id bigint primary key,
    structure_id bigint not null,
    x double precision not null,
    y double precision not null
  )`,
  `create index station_positions_by_structure on station_positions (structure_id)`,
] as const
