import { Type, type Static } from 'typebox'
import { DatetimeString, Id } from './common.ts'
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
