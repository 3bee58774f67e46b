import { Type, type Static } from 'typebox'

/** Public ids: clients read them as 32-bit integers. */
export const Id = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

/** Local date and time of the structure's zone, `YYYY-MM-DD HH:mm:ss`. */
export const DatetimeString = Type.String({
  title: 'a local date and time YYYY-MM-DD HH:mm:ss',
  pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`,
  examples: ['2026-01-31 08:30:00'],
})

export const Uuid = Type.String({ format: 'uuid' })

export const NamedId = Type.Object({ id: Id, name: Type.String() })

export type Failed = Static<typeof Failed>
/** The body of every answer that is no success. */
export const Failed = Type.Object({ name: Type.String(), message: Type.String() })

/** Monitoring items by key. */
export const ItemMap = Type.Record(
  Type.String(),
  Type.Object({ name: Type.String(), unit: Type.String() }),
)

/** The most records, or alarms, one call may ask for by `limit`. */
export const LIMIT_MAXIMUM = 10_000

/** The most values one filter may list. */
export const LIST_MAXIMUM = 1_000

/** The most records one batch may hold. */
export const BATCH_MAXIMUM = 100_000

/** The most stations one call may name. */
export const STATIONS_MAXIMUM = 1_000

/** The most stations one chart may show. */
export const SERIES_STATIONS_MAXIMUM = 50

/** The most buckets one line of a chart may have. */
export const POINTS_MAXIMUM = 10_000
