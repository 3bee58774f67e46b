import type { Migration } from './migration.ts'

export const alarmSnapshots: Migration = {
  name: '004-alarm-snapshots',
  does: 'makes room for the pictures that cameras take of alarms',
  statements: [
    // One picture for all alarms that wait for a camera at the same time.
    `create table pictures (
      id integer primary key autoincrement,
      camera_id integer not null,
      taken_at integer not null,
      jpeg blob not null
    )`,
    // `ended_at`: when it was taken or given up. `problem`: why there is no picture.
    `create table alarm_snapshots (
      id integer primary key autoincrement,
      alarm_id integer not null,
      camera_id integer not null,
      due_at integer not null,
      ended_at integer,
      picture_id integer,
      problem text
    )`,
    `create index alarm_snapshots_by_alarm on alarm_snapshots (alarm_id)`,
    `create index alarm_snapshots_waiting on alarm_snapshots (id) where ended_at is null`,
  ],
}
