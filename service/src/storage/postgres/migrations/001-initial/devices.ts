import { TEXT } from '../column-types.ts'

/** The last contact and the last error of each device. */
export const devices = [
  `create table device_contacts (device_id ${TEXT} primary key, time bigint not null)`,
  `create table device_errors (
    device_id ${TEXT} primary key,
    time bigint not null,
    error ${TEXT} not null
  )`,
] as const
