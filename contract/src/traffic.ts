import { Type, type Static } from 'typebox'
import { DatetimeString, Id, TimeString } from './common.ts'
import { finding, operation } from './operation.ts'

export type TrafficRecord = Static<typeof TrafficRecord>
export const TrafficRecord = Type.Object({
  license: Type.String(),
  time: DatetimeString,
  lane: Type.String(),
  direction: Type.Integer({
    minimum: 0,
    maximum: 1,
    description: '0 towards the bridge, 1 away from the bridge.',
  }),
  axleCount: Type.Integer({ minimum: 0 }),
  load: Type.Number(),
  axleLoad: Type.String(),
  overload: Type.Boolean(),
})

const Named = Type.Object({ name: Type.String() })
const Measured = Type.Object({ name: Type.String(), unit: Type.String() })

export type TrafficFlow = Static<typeof TrafficFlow>
export const TrafficFlow = Type.Object({
  items: Type.Object({
    license: Named,
    time: Named,
    lane: Named,
    direction: Named,
    axleCount: Named,
    load: Measured,
    axleLoad: Measured,
    overload: Named,
  }),
  data: Type.Array(TrafficRecord),
})

export const getTrafficFlow = operation({
  operationId: 'getTrafficFlow',
  summary: 'Read the traffic of a structure',
  method: 'GET',
  url: '/structures/:structureId/traffic-flow',
  base: '/api/v1',
  noun: 'traffic',
  config: finding('Traffic flow query failed'),
  schema: {
    params: Type.Object({ structureId: Id }),
    querystring: Type.Object({
      startTime: DatetimeString,
      endTime: DatetimeString,
      overload: Type.Optional(Type.Boolean()),
      license: Type.Optional(Type.String({ description: 'Part of the licence plate.' })),
      loadFloor: Type.Optional(
        Type.Number({ description: 'The lowest weight, in the unit of `items.load`.' }),
      ),
    }),
    response: { 200: TrafficFlow },
  },
})

export type TrafficCounts = Static<typeof TrafficCounts>
/** Vehicles by local hour, lane and weight class. */
export const TrafficCounts = Type.Object({
  loadUnit: Type.String({ description: 'The unit of the weights.' }),
  classes: Type.Array(
    Type.Object({
      from: Type.Number({ description: 'The lowest weight, inclusive.' }),
      below: Type.Union([Type.Number(), Type.Null()], {
        description: 'The weight at which the next class begins; null in the last class.',
      }),
    }),
  ),
  total: Type.Integer({ minimum: 0, description: 'Vehicles in the window.' }),
  overloads: Type.Integer({ minimum: 0, description: 'Overloaded ones among them.' }),
  counts: Type.Array(
    Type.Object({
      hour: DatetimeString,
      lane: Type.String(),
      class: Type.Integer({ minimum: 0, description: 'Index in `classes`.' }),
      count: Type.Integer({ minimum: 1 }),
      overloads: Type.Integer({ minimum: 0 }),
    }),
    {
      description:
        'By hour, lane and class; nothing where no vehicle passed. `hour` is its local beginning; the hour that a change of clocks repeats is one.',
    },
  ),
})

export const countTraffic = operation({
  operationId: 'countTraffic',
  summary: 'Count the traffic of a structure by local hour, lane and weight class',
  method: 'GET',
  url: '/structures/:structureId/traffic/counts',
  base: '/manage/v1',
  noun: 'traffic',
  config: finding('Traffic count failed'),
  schema: {
    params: Type.Object({ structureId: Id }),
    querystring: Type.Object({
      startTime: TimeString,
      endTime: TimeString,
      classes: Type.Optional(
        Type.Array(Type.Number({ exclusiveMinimum: 0 }), {
          list: true,
          maxItems: 20,
          description:
            'Weights at which a class begins, ascending, in the unit of `loadUnit`. Default: 3.5, 12, 18, 26, 40 and 49 t in that unit.',
        }),
      ),
    }),
    response: { 200: TrafficCounts },
  },
})
