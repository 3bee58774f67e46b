import { Type, type Static } from 'typebox'
import { Id, NamedId, oneOf } from './common.ts'
import { finding, operation } from './operation.ts'
import { ValueQuality } from './quality.ts'

const moment = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description: `${description}; epoch milliseconds.` })

const Count = Type.Integer({ minimum: 0 })

export type StationState = Static<typeof StationState>
/** What the age of the newest record of a station says about it. */
export const StationState = oneOf(['fine', 'stale', 'offline', 'empty'], {
  description:
    '`fine`: its newest record is as new as expected; `stale`: it is older; `offline`: a device that it depends on has an alarm of offline detection; `empty`: it has no record.',
})

const WorstLevel = Type.Union([Type.Integer(), Type.Null()], {
  description: 'The most severe level of open alarms, 1 being the most severe; null without one.',
})

export type StructureOverview = Static<typeof StructureOverview>
/** A structure with the states of its stations and its open alarms. */
export const StructureOverview = Type.Object({
  id: Id,
  name: Type.String(),
  type: NamedId,
  longitude: Type.Number(),
  latitude: Type.Number(),
  timeZone: Type.String({ description: 'IANA name.' }),
  stations: Type.Object(
    { fine: Count, stale: Count, offline: Count, empty: Count },
    { description: 'The number of stations in each state.' },
  ),
  openAlarms: Type.Array(Type.Object({ level: Type.Integer(), count: Count }), {
    description: 'The number of open alarms of each level, the most severe first.',
  }),
  worstLevel: WorstLevel,
  newestTime: moment('Time of the newest record of its stations, null without one'),
})

export type Overview = Static<typeof Overview>
export const Overview = Type.Object({
  time: Type.Integer({ description: 'Time of the service; epoch milliseconds.' }),
  structures: Type.Array(StructureOverview),
})

export const getOverview = operation({
  operationId: 'getOverview',
  summary: 'Get the state of all structures that the caller may read',
  method: 'GET',
  url: '/overview',
  base: '/manage/v1',
  noun: 'overview',
  config: finding('Overview query failed'),
  schema: { response: { 200: Overview } },
})

export type StationOverview = Static<typeof StationOverview>
/** A station with its newest record and its state. */
export const StationOverview = Type.Object({
  id: Id,
  name: Type.String(),
  state: StationState,
  time: moment('Time of its newest record, null without one'),
  ageSeconds: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Age of the newest record; null without one.',
  }),
  expectedSeconds: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The age up to which it is `fine`; null where nothing is known of its interval.',
  }),
  values: Type.Record(
    Type.String(),
    Type.Object({
      value: Type.Union([Type.Number(), Type.Null()], { description: 'Null for a bad value.' }),
      quality: Type.Optional(ValueQuality),
    }),
    {
      description:
        'The values of the newest record by item key; those that are good have no quality.',
    },
  ),
  worstLevel: WorstLevel,
  position: Type.Union([Type.Object({ x: Type.Number(), y: Type.Number() }), Type.Null()], {
    description: 'Where it is on the portrait of the structure, in shares of its width and height.',
  }),
})

export type StructureState = Static<typeof StructureState>
/** The stations of a structure by factor and group, with their newest values. */
export const StructureState = Type.Object({
  time: Type.Integer({ description: 'Time of the service; epoch milliseconds.' }),
  id: Id,
  name: Type.String(),
  timeZone: Type.String({ description: 'IANA name.' }),
  portrait: Type.Union([Type.String(), Type.Null()], {
    description: 'Path of its portrait picture, such as `/files/portraits/1-5b0c….png`.',
  }),
  worstLevel: WorstLevel,
  factors: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      items: Type.Array(
        Type.Object({
          key: Type.String(),
          name: Type.String(),
          unit: Type.String(),
          precision: Type.Number(),
        }),
      ),
      groups: Type.Array(
        Type.Object({
          id: Id,
          name: Type.String(),
          typeId: Type.String(),
          stations: Type.Array(StationOverview),
        }),
      ),
    }),
  ),
})

export const getStructureState = operation({
  operationId: 'getStructureState',
  summary: 'Get the newest values and the states of the stations of a structure',
  method: 'GET',
  url: '/structures/:structureId/state',
  base: '/manage/v1',
  noun: 'overview',
  config: finding('Structure state query failed'),
  schema: {
    params: Type.Object({ structureId: Id }),
    response: { 200: StructureState },
  },
})
