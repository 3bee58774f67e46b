import { Type, type Static } from 'typebox'
import { DatetimeString, Id, POINTS_MAXIMUM } from './common.ts'
import { finding, operation } from './operation.ts'

/** One number for each time; null where no record of that bucket has the item. */
const Values = Type.Array(Type.Union([Type.Number(), Type.Null()]))

export type Series = Static<typeof Series>
/** What a chart draws: buckets of time, and beside them what each item was in them. */
export const Series = Type.Object({
  points: Type.Integer(),
  stations: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      width: Type.Integer({ description: 'Length of a bucket in seconds.' }),
      times: Type.Array(DatetimeString),
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
  summary: 'Read the monitoring data of stations as a chart needs it',
  method: 'GET',
  url: '/series',
  base: '/manage/v1',
  noun: 'series',
  config: finding('Series query failed'),
  schema: {
    querystring: Type.Object({
      stations: Type.String({ list: true, description: 'Station ids joined by commas.' }),
      startTime: DatetimeString,
      endTime: DatetimeString,
      points: Type.Integer({
        minimum: 1,
        maximum: POINTS_MAXIMUM,
        default: 1000,
        description: 'Of each station at most so many buckets.',
      }),
      items: Type.Optional(
        Type.String({ list: true, description: 'These items only: keys joined by commas.' }),
      ),
    }),
    response: { 200: Series },
  },
})
