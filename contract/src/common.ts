import { Type, type Static, type TSchemaOptions } from 'typebox'

/** A public id, a positive 32-bit integer. */
export const Id = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

/** One of the values of a list. */
export const oneOf = <const Value extends string | number>(
  values: readonly Value[],
  options: TSchemaOptions = {},
) => Type.Unsafe<Value>(Type.Enum([...values], options))

/** Local date and time of the structure, `YYYY-MM-DD HH:mm:ss`. */
export const DatetimeString = Type.String({
  title: 'a local date and time YYYY-MM-DD HH:mm:ss',
  pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`,
  examples: ['2026-01-31 08:30:00'],
})

/** The same with the milliseconds of a time that has them, `YYYY-MM-DD HH:mm:ss.SSS`. */
export const MomentString = Type.String({
  title: 'a local date and time YYYY-MM-DD HH:mm:ss, with milliseconds where it has them',
  pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{3})?$`,
})

/** A time of a request: local, or with its offset from UTC. */
export const TimeString = Type.String({
  title:
    'a local date and time YYYY-MM-DD HH:mm:ss, or an instant such as 2026-01-31T08:30:00+08:00',
  pattern: String.raw`^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?$`,
  examples: ['2026-01-31 08:30:00', '2026-01-31T08:30:00+08:00'],
})

/** An instant to the millisecond, `2026-01-31T08:30:00.250+08:00`. */
export const Instant = Type.String({
  description: 'An instant with milliseconds and offset, ISO 8601.',
})

export const Uuid = Type.String({ format: 'uuid' })

export const NamedId = Type.Object({ id: Id, name: Type.String() })

export type Failed = Static<typeof Failed>
/** The body of every error response. */
export const Failed = Type.Object({ name: Type.String(), message: Type.String() })

/** Monitoring items by key. */
export const ItemMap = Type.Record(
  Type.String(),
  Type.Object({ name: Type.String(), unit: Type.String() }),
)

/** The largest `limit` of records or alarms. */
export const LIMIT_MAXIMUM = 10_000

/** The most values in a list of a filter. */
export const LIST_MAXIMUM = 1_000

/** The most records in a record batch. */
export const BATCH_MAXIMUM = 100_000

/** The most stations in a data request. */
export const STATIONS_MAXIMUM = 1_000

/** The most stations in a series request. */
export const SERIES_STATIONS_MAXIMUM = 50

/** The most buckets of a station in a series. */
export const POINTS_MAXIMUM = 10_000

export type Jpeg = Static<typeof Jpeg>
/** The bytes of a picture. */
export const Jpeg = Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' })
