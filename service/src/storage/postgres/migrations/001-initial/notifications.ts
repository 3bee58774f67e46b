import { ID, TEXT } from '../column-types.ts'

/** The outbox, deliveries, reminders, and maintenance windows. */
export const notifications = [
  `create table outbox (
    id ${ID},
    alarm_id bigint not null,
    step bigint not null,
    is_late bigint not null,
    created_at bigint not null
  )`,
  // `summary_id`: the summary that replaces this delivery.
  `create table deliveries (
    id ${ID},
    kind ${TEXT} not null,
    outbox_id bigint,
    alarm_id bigint,
    step bigint,
    structure_id bigint,
    channel ${TEXT} not null,
    rules ${TEXT} not null,
    message ${TEXT} not null,
    state ${TEXT} not null,
    attempts bigint not null,
    created_at bigint not null,
    due_at bigint not null,
    next_at bigint not null,
    last_error ${TEXT},
    reason ${TEXT},
    delivered_at bigint,
    summary_id bigint
  )`,
  `create unique index deliveries_by_outbox on deliveries (outbox_id, channel)
    where outbox_id is not null`,
  `create index deliveries_waiting on deliveries (channel, next_at) where state = 'waiting'`,
  `create index deliveries_delivered on deliveries (channel, delivered_at)
    where delivered_at is not null`,
  `create index deliveries_given_up on deliveries (channel, next_at) where state = 'givenUp'`,
  `create index deliveries_by_summary on deliveries (summary_id) where summary_id is not null`,
  `create index deliveries_by_alarm on deliveries (alarm_id)`,
  `create table reminders (
    alarm_id bigint not null,
    channel ${TEXT} not null,
    next_at bigint not null,
    primary key (alarm_id, channel)
  )`,
  `create index reminders_by_time on reminders (next_at)`,
  // Structures and stations are lists of ids as JSON.
  `create table maintenance_windows (
    id ${ID},
    structures ${TEXT} not null,
    stations ${TEXT} not null,
    starts_at bigint not null,
    ends_at bigint not null,
    reason ${TEXT} not null,
    created_at bigint not null,
    ended_at bigint
  )`,
  `create index maintenance_windows_by_end on maintenance_windows (ends_at)`,
] as const
