/** The outbox, deliveries, reminders, and maintenance windows. */
export const notifications = [
  `create table outbox (
    id integer primary key autoincrement,
    alarm_id integer not null,
    step integer not null,
    is_late integer not null,
    created_at integer not null
  )`,
  // `summary_id`: the summary that replaces this delivery.
  `create table deliveries (
    id integer primary key autoincrement,
    kind text not null,
    outbox_id integer,
    alarm_id integer,
    step integer,
    structure_id integer,
    channel text not null,
    rules text not null,
    message text not null,
    state text not null,
    attempts integer not null,
    created_at integer not null,
    due_at integer not null,
    next_at integer not null,
    last_error text,
    reason text,
    delivered_at integer,
    summary_id integer
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
    alarm_id integer not null,
    channel text not null,
    next_at integer not null,
    primary key (alarm_id, channel)
  ) without rowid`,
  `create index reminders_by_time on reminders (next_at)`,
  // Structures and stations are lists of ids as JSON.
  `create table maintenance_windows (
    id integer primary key autoincrement,
    structures text not null,
    stations text not null,
    starts_at integer not null,
    ends_at integer not null,
    reason text not null,
    created_at integer not null,
    ended_at integer
  )`,
  `create index maintenance_windows_by_end on maintenance_windows (ends_at)`,
] as const
