import { Type, type Static } from 'typebox'
import { DatetimeString, Id, Uuid } from './common.ts'
import { finding, operation } from './operation.ts'

const Instant = Type.String({ description: 'An instant with milliseconds and offset, ISO 8601.' })

const Input = Type.Object({
  name: Type.String({ description: 'What the conversion calls it.' }),
  sensor: Uuid,
  sensorName: Type.String(),
  key: Type.String(),
  value: Type.Optional(Type.Number()),
  time: Type.Optional(Instant),
})

const Conversion = Type.Object({
  kind: Type.String(),
  formula: Type.String(),
  parameters: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
  validFrom: Type.Union([DatetimeString, Type.Null()]),
  combine: Type.Optional(Type.String()),
  inputs: Type.Array(Input),
})

const Group = Type.Object({
  id: Id,
  name: Type.String(),
  kind: Type.String(),
  from: Type.String({ description: 'The item of the members that is summed or subtracted.' }),
  members: Type.Array(
    Type.Object({ id: Id, name: Type.String(), value: Type.Optional(Type.Number()) }),
  ),
})

export type ExplainedValue = Static<typeof ExplainedValue>
/** A value of a station, and everything between the sensor and the number. */
export const ExplainedValue = Type.Object({
  key: Type.String(),
  name: Type.String(),
  unit: Type.String(),
  precision: Type.Number(),
  stored: Type.Union([Type.Number(), Type.Null()], {
    description: 'What clients read; null where the record has none.',
  }),
  origin: Type.Union([Type.Literal('ready'), Type.Literal('raw')]),
  value: Type.Optional(Type.Number()),
  unrounded: Type.Optional(Type.Number()),
  absent: Type.Optional(Type.String()),
  conversion: Type.Optional(Conversion),
  group: Type.Optional(Group),
})

export type Explanation = Static<typeof Explanation>
export const Explanation = Type.Object({
  station: Type.Object({ id: Id, name: Type.String() }),
  siteVersion: Type.Integer({ description: 'The version of the site whose parameters these are.' }),
  records: Type.Array(Type.Object({ time: Instant, items: Type.Array(ExplainedValue) }), {
    description: 'The records of that second, mostly one.',
  }),
})

export const explainStation = operation({
  operationId: 'explainStation',
  summary: 'Explain the values of a station at a time',
  method: 'GET',
  url: '/stations/:stationId/explain',
  base: '/manage/v1',
  noun: 'derivation',
  config: finding('Explanation failed'),
  schema: {
    params: Type.Object({ stationId: Id }),
    querystring: Type.Object({ time: DatetimeString }),
    response: { 200: Explanation },
  },
})

const Count = Type.Integer({ minimum: 0 })

export type RecomputedStation = Static<typeof RecomputedStation>
/** What recomputing changes, or has changed, at one station. */
export const RecomputedStation = Type.Object({
  id: Id,
  name: Type.String(),
  records: Type.Integer({ minimum: 0, description: 'Records that were looked at.' }),
  changed: Count,
  added: Count,
  removed: Count,
  items: Type.Array(
    Type.Object({
      key: Type.String(),
      values: Type.Integer({ minimum: 1, description: 'How many of its values differ.' }),
      largest: Type.Number({ description: 'The largest difference of a value.' }),
    }),
  ),
  alarms: Type.Array(
    Type.Object({
      alarmTypeCode: Type.String(),
      level: Type.Integer(),
      before: Count,
      after: Count,
    }),
    { description: 'Alarms that thresholds would have raised, where their number differs.' },
  ),
})

export type Recomputation = Static<typeof Recomputation>
export const Recomputation = Type.Object({
  change: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number by which it can be undone; null when nothing was stored.',
  }),
  stations: Type.Array(RecomputedStation),
})

export const recompute = operation({
  operationId: 'recompute',
  summary: 'Compute station values anew from raw values',
  method: 'POST',
  url: '/structures/:structureId/recompute',
  base: '/manage/v1',
  noun: 'derivation',
  config: finding('Recomputation failed'),
  schema: {
    params: Type.Object({ structureId: Id }),
    body: Type.Object({
      startTime: DatetimeString,
      endTime: DatetimeString,
      commit: Type.Optional(
        Type.Boolean({ description: 'Whether to store the result; left out: only show it.' }),
      ),
    }),
    response: { 200: Recomputation },
  },
})
