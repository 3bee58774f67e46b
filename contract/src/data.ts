import { Type, type Static } from 'typebox'
import { DatetimeString, Id, ItemMap, LIMIT_MAXIMUM, STATIONS_MAXIMUM, Uuid } from './common.ts'
import { finding, operation } from './operation.ts'

export type ThemeRecord = Static<typeof ThemeRecord>
/** A record of a station: values by item key, and `time`. */
export const ThemeRecord = Type.Record(Type.String(), Type.Union([Type.Number(), DatetimeString]))

export type ThemeData = Static<typeof ThemeData>
export const ThemeData = Type.Object({
  items: ItemMap,
  stations: Type.Array(Type.Object({ id: Id, name: Type.String(), data: Type.Array(ThemeRecord) })),
})

const ValuesRecord = Type.Object({
  values: Type.Record(Type.String(), Type.Number()),
  time: DatetimeString,
})

export type StationsData = Static<typeof StationsData>
export const StationsData = Type.Object({
  theme: Type.Object({
    items: ItemMap,
    stations: Type.Array(
      Type.Object({ id: Id, name: Type.String(), data: Type.Array(ValuesRecord) }),
    ),
  }),
  raw: Type.Object({
    items: ItemMap,
    sensors: Type.Array(
      Type.Object({ id: Uuid, name: Type.String(), data: Type.Array(ValuesRecord) }),
    ),
  }),
})

export const getThemeData = operation({
  operationId: 'getThemeData',
  summary: 'Read the theme data of stations',
  method: 'GET',
  url: '/stations/theme/data',
  base: '/api/v1',
  noun: 'data',
  config: finding('Data query failed'),
  schema: {
    querystring: Type.Object({
      stations: Type.String({ list: true, description: 'Station ids joined by commas.' }),
      startTime: Type.Optional(DatetimeString),
      endTime: Type.Optional(DatetimeString),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LIMIT_MAXIMUM,
          description: 'How many of the newest records to return for each station, newest first.',
        }),
      ),
    }),
    response: { 200: ThemeData },
  },
})

export const getStationsData = operation({
  operationId: 'getStationsData',
  summary: 'Read the theme data of stations and the raw data of their sensors',
  method: 'POST',
  url: '/structures/:structureId/factors/:factorId/stations/data',
  base: '/api/v1',
  noun: 'data',
  config: finding('Data query failed'),
  schema: {
    params: Type.Object({ structureId: Id, factorId: Id }),
    querystring: Type.Object({ startTime: DatetimeString, endTime: DatetimeString }),
    body: Type.Object({ stations: Type.Array(Id, { maxItems: STATIONS_MAXIMUM }) }),
    response: { 200: StationsData },
  },
})
