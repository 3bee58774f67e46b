import { Type, type Static } from 'typebox'
import { Id, Instant, MomentString, POINTS_MAXIMUM, TimeString } from './common.ts'
import { finding, operation } from './operation.ts'

/** One number for each bucket; null where the bucket has no value of the item. */
const Values = Type.Array(Type.Union([Type.Number(), Type.Null()]))

export type Series = Static<typeof Series>
/** The data of a chart: the buckets of each station, and its items in each of them. */
export const Series = Type.Object({
  points: Type.Integer(),
  stations: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      width: Type.Number({ description: 'Length of a bucket in seconds, 0.001 and more.' }),
      times: Type.Array(Type.Union([MomentString, Instant]), {
        description: 'Local times; instants where `startTime` has an offset.',
      }),
      items: Type.Record(
        Type.String(),
        Type.Object({
          name: Type.String(),
          unit: Type.String(),
          minimum: Values,
          mean: Values,
          maximum: Values,
          count: Type.Array(Type.Integer()),
        }),
      ),
    }),
  ),
})

export const getSeries = operation({
  operationId: 'getSeries',
  summary: 'Read the series of stations for a chart',
  method: 'GET',
  url: '/series',
  base: '/manage/v1',
  noun: 'series',
  config: finding('Series query failed'),
  schema: {
    querystring: Type.Object({
      stations: Type.String({ list: true, description: 'Station ids joined by commas.' }),
      startTime: TimeString,
      endTime: TimeString,
      points: Type.Integer({
        minimum: 1,
        maximum: POINTS_MAXIMUM,
        default: 1000,
        description: 'Maximum number of buckets per station.',
      }),
      items: Type.Optional(
        Type.String({ list: true, description: 'Item keys joined by commas. Default: all items.' }),
      ),
    }),
    response: { 200: Series },
  },
})
