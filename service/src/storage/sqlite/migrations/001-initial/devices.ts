/** The last contact and the last error of each device. */
export const devices = [
  `create table device_contacts (device_id text primary key, time integer not null) without rowid`,
  `create table device_errors (
    device_id text primary key,
    time integer not null,
    error text not null
  ) without rowid`,
] as const
