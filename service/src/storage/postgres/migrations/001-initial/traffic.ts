import { TEXT } from '../column-types.ts'

/** Traffic records. */
export const traffic = [
  `create table traffic_records (
    structure_id bigint not null,
    time bigint not null,
    identity ${TEXT} not null,
    overload bigint not null,
    license ${TEXT} not null,
    load double precision not null,
    record ${TEXT} not null,
    details ${TEXT} not null,
    primary key (structure_id, time, identity)
  )`,
] as const
