import type { Migration } from './migration.ts'

export const console: Migration = {
  name: '008-console',
  does: 'makes room for events, shelved alarms, portraits and positions on them',
  statements: [
    // The transitions of alarms in the order in which they are notified.
    `create table alarm_events (
      id integer primary key autoincrement,
      alarm_id integer not null,
      step integer not null,
      created_at integer not null
    )`,
    // `ended_at`: when it ended before its time. `ended_by`: why.
    `create table alarm_shelvings (
      id integer primary key autoincrement,
      alarm_id integer not null,
      starts_at integer not null,
      ends_at integer not null,
      comment text not null,
      sponsor text not null,
      ended_at integer,
      ended_by text
    )`,
    `create index alarm_shelvings_by_alarm on alarm_shelvings (alarm_id)`,
    `create index alarm_shelvings_under_way on alarm_shelvings (ends_at) where ended_at is null`,
    `create table portraits (
      structure_id integer primary key,
      type text not null,
      hash text not null,
      picture blob not null
    )`,
    `create table station_positions (
      station_id integer primary key,
      structure_id integer not null,
      x real not null,
      y real not null
    )`,
    `create index station_positions_by_structure on station_positions (structure_id)`,
  ],
}
