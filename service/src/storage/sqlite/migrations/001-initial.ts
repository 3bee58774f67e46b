/** Everything the interface reads; one statement an entry. */
export const initial = [
  `create table meta (key text primary key, value integer not null)`,
  `insert into meta (key, value) values ('site_version', 0)`,

  `create table applications (
    id text primary key,
    user_id integer not null,
    name text not null,
    secret_hash blob not null,
    created_at integer not null,
    revoked_at integer
  )`,
  `create table tokens (
    hash blob primary key,
    application_id text not null references applications (id) on delete cascade,
    issued_at integer not null,
    expires_at integer not null,
    invalidated_at integer
  ) without rowid`,
  `create index tokens_by_expiry on tokens (expires_at)`,
  `create table ingest_keys (
    id integer primary key,
    name text not null,
    hash blob not null unique,
    created_at integer not null,
    revoked_at integer
  )`,
  `create unique index ingest_keys_in_use on ingest_keys (name) where revoked_at is null`,

  `create table site_entries (
    kind text not null,
    id text not null,
    position integer not null,
    definition text not null,
    primary key (kind, id)
  ) without rowid`,
  `create table default_groups (
    id integer primary key autoincrement,
    structure_id integer not null,
    factor_id integer not null,
    unique (structure_id, factor_id)
  )`,
  `insert into sqlite_sequence (name, seq) values ('default_groups', 2000000000)`,
  `create table sensors (key integer primary key autoincrement, id text not null unique)`,

  `create table theme_records (
    source integer not null,
    time integer not null,
    record text not null,
    primary key (source, time)
  ) without rowid`,
  `create table raw_records (
    source integer not null,
    time integer not null,
    record text not null,
    primary key (source, time)
  ) without rowid`,

  // How many records a source has on a day of UTC, at most: a guide for reading, never the truth.
  `create table theme_days (
    source integer not null,
    day integer not null,
    count integer not null,
    primary key (source, day)
  ) without rowid`,
  `create table raw_days (
    source integer not null,
    day integer not null,
    count integer not null,
    primary key (source, day)
  ) without rowid`,

  `create table traffic_records (
    structure_id integer not null,
    time integer not null,
    identity text not null,
    overload integer not null,
    license text not null,
    load real not null,
    record text not null,
    details text not null,
    primary key (structure_id, time, identity)
  ) without rowid`,

  `create table vibration_batches (
    id integer primary key autoincrement,
    station_id integer not null,
    collect_time integer not null,
    sample_freq text not null,
    unit text not null,
    count integer not null,
    sample_bytes integer not null,
    unique (station_id, collect_time)
  )`,
  `create table vibration_samples (
    batch_id integer not null references vibration_batches (id) on delete cascade,
    piece integer not null,
    samples blob not null,
    primary key (batch_id, piece)
  )`,

  `create table alarms (
    id integer primary key autoincrement,
    structure_id integer not null,
    source_id text not null,
    source_name text not null,
    source_type integer not null,
    category integer not null,
    type_code text not null,
    level integer not null,
    content text not null,
    count integer not null,
    state integer not null,
    start_time text not null,
    end_time text not null,
    search_text text not null
  )`,
  `create index alarms_by_structure on alarms (structure_id, state, level)`,
  `create unique index alarms_open on alarms (source_id, type_code) where state < 3`,
  `create table alarm_details (
    alarm_id integer not null references alarms (id) on delete cascade,
    step integer not null,
    sponsor text not null,
    alarm_code text not null,
    alarm_state integer not null,
    current_level integer not null,
    content text not null,
    time text not null,
    primary key (alarm_id, step)
  ) without rowid`,

  `create table device_contacts (device_id text primary key, time integer not null) without rowid`,
] as const
