import { Type, type Static } from 'typebox'
import { Id, oneOf, TimeString, Uuid } from './common.ts'
import { operating, operation } from './operation.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

const alarm = {
  source: Type.Object({ id: Type.String(), name: Type.String() }),
  level: Type.Integer(),
}

export type Marking = Static<typeof Marking>
/** What a person has marked, or with `dryRun` would mark. */
export const Marking = Type.Object({
  change: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number of the change, for `plumbline undo`; null when nothing was marked.',
  }),
  records: count('Records with a value that is marked.'),
  values: count('Values that are marked. Those that have the mark already are not counted.'),
  ended: Type.Array(Type.Object({ id: Id, alarmTypeCode: Type.String(), ...alarm }), {
    description: 'Alarms that end because the values that raised them are bad now.',
  }),
  restored: Type.Array(
    Type.Object({
      id: Type.Union([Id, Type.Null()], { description: 'Null for a new alarm.' }),
      ...alarm,
      outcome: Type.Union([
        Type.Literal('reopened'),
        Type.Literal('opened'),
        Type.Literal('ended'),
        Type.Literal('changed'),
      ]),
    }),
    { description: 'Alarms that change because values are no longer bad.' },
  ),
})

const body = Type.Object({
  quality: Type.String({
    maxLength: 200,
    description: 'A quality such as `bad: cable cut`: bad, uncertain or good.',
  }),
  items: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 1000,
      description: 'Keys of items. Default: all items.',
    }),
  ),
  startTime: TimeString,
  endTime: TimeString,
  dryRun: Type.Optional(
    Type.Boolean({
      description: 'Whether to count the values without marking them. Default: false.',
    }),
  ),
})

const common = {
  method: 'POST',
  base: '/manage/v1',
  noun: 'quality',
  config: operating('Values could not be marked'),
} as const

export const markStation = operation({
  ...common,
  operationId: 'markStation',
  summary: 'Mark values of a station as bad, uncertain or good',
  url: '/stations/:stationId/quality',
  schema: { params: Type.Object({ stationId: Id }), body, response: { 200: Marking } },
})

export const markSensor = operation({
  ...common,
  operationId: 'markSensor',
  summary: 'Mark raw values of a sensor as bad, uncertain or good',
  url: '/sensors/:sensorId/quality',
  schema: { params: Type.Object({ sensorId: Uuid }), body, response: { 200: Marking } },
})

export type ValueQuality = Static<typeof ValueQuality>
/** The quality of a value that is not simply good. */
export const ValueQuality = Type.Object({
  quality: oneOf(['good', 'uncertain', 'bad']),
  reason: Type.String({ description: 'A code or words; empty where nobody said why.' }),
  origin: oneOf(['sender', 'rule', 'person', 'input'], {
    description:
      'Who says so: the sender of the record, a rule of a threshold batch, a person, or the raw values behind it.',
  }),
  value: Type.Optional(
    Type.Number({ description: 'The number of a bad value, which is not among the values.' }),
  ),
})
