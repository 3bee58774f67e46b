import { Type, type Static } from 'typebox'
import { DatetimeString, Id, Instant, TimeString, Uuid } from './common.ts'
import { finding, operating, operation } from './operation.ts'
import { ValueQuality } from './quality.ts'

const Input = Type.Object({
  name: Type.String({ description: 'Its name in the conversion.' }),
  sensor: Uuid,
  sensorName: Type.String(),
  key: Type.String(),
  value: Type.Optional(Type.Number()),
  time: Type.Optional(Instant),
  quality: Type.Optional(ValueQuality),
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
  from: Type.String({ description: 'Key of the item that is summed or subtracted.' }),
  members: Type.Array(
    Type.Object({ id: Id, name: Type.String(), value: Type.Optional(Type.Number()) }),
  ),
})

export type ExplainedValue = Static<typeof ExplainedValue>
/** A value of a station with the raw values, parameters and rounding behind it. */
export const ExplainedValue = Type.Object({
  key: Type.String(),
  name: Type.String(),
  unit: Type.String(),
  precision: Type.Number(),
  stored: Type.Union([Type.Number(), Type.Null()], {
    description: 'The stored value; null where the record has none.',
  }),
  quality: Type.Optional(ValueQuality),
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
  siteVersion: Type.Integer({ description: 'The site version of the parameters.' }),
  records: Type.Array(Type.Object({ time: Instant, items: Type.Array(ExplainedValue) }), {
    description: 'The records of that second.',
  }),
})

export const explainStation = operation({
  operationId: 'explainStation',
  summary: 'Explain the derived values of a station at a time',
  method: 'GET',
  url: '/stations/:stationId/explain',
  base: '/manage/v1',
  noun: 'derivation',
  config: finding('Explanation failed'),
  schema: {
    params: Type.Object({ stationId: Id }),
    querystring: Type.Object({ time: TimeString }),
    response: { 200: Explanation },
  },
})

const Count = Type.Integer({ minimum: 0 })

export type RecomputedStation = Static<typeof RecomputedStation>
/** The differences of a recomputation at one station. */
export const RecomputedStation = Type.Object({
  id: Id,
  name: Type.String(),
  records: Type.Integer({ minimum: 0, description: 'Records that were compared.' }),
  changed: Count,
  added: Count,
  removed: Count,
  items: Type.Array(
    Type.Object({
      key: Type.String(),
      values: Type.Integer({ minimum: 1, description: 'How many values differ.' }),
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
    { description: 'Alarms that the thresholds would have raised, where the number differs.' },
  ),
})

export type Recomputation = Static<typeof Recomputation>
export const Recomputation = Type.Object({
  change: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number of the change, for `plumbline undo`; null when nothing was stored.',
  }),
  stations: Type.Array(RecomputedStation),
})

export const recompute = operation({
  operationId: 'recompute',
  summary: 'Recompute station records from raw records',
  method: 'POST',
  url: '/structures/:structureId/recompute',
  base: '/manage/v1',
  noun: 'derivation',
  config: operating('Recomputation failed'),
  schema: {
    params: Type.Object({ structureId: Id }),
    body: Type.Object({
      startTime: TimeString,
      endTime: TimeString,
      commit: Type.Optional(
        Type.Boolean({ description: 'Whether to store the result. Default: false.' }),
      ),
    }),
    response: { 200: Recomputation },
  },
})
