/** When devices were last heard of, and what they said of themselves. */
export const devices = [
  `create table device_contacts (device_id text primary key, time integer not null) without rowid`,
  `create table device_errors (
    device_id text primary key,
    time integer not null,
    error text not null
  ) without rowid`,
] as const
