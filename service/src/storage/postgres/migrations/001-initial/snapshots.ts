import { ID, TEXT } from '../column-types.ts'

/** The pictures that cameras take of alarms. */
export const snapshots = [
  // One picture for all alarms that wait for a camera at the same time.
  `create table pictures (
    id ${ID},
    camera_id bigint not null,
    taken_at bigint not null,
    jpeg bytea not null
  )`,
  `alter table pictures alter column jpeg set storage external`,
  // `ended_at`: when it was taken or given up. `problem`: why there is no picture.
  `create table alarm_snapshots (
    id ${ID},
    alarm_id bigint not null,
    camera_id bigint not null,
    due_at bigint not null,
    ended_at bigint,
    picture_id bigint,
    problem ${TEXT}
  )`,
  `create index alarm_snapshots_by_alarm on alarm_snapshots (alarm_id)`,
  `create index alarm_snapshots_waiting on alarm_snapshots (id) where ended_at is null`,
] as const
