import { Type, type Static } from 'typebox'
import { DatetimeString, Id, Uuid } from './common.ts'
import { finding, operation } from './operation.ts'

const Kind = Type.Union([
  Type.Literal('theme'),
  Type.Literal('raw'),
  Type.Literal('vibration'),
  Type.Literal('traffic'),
])

const count = (description: string) => Type.Integer({ minimum: 0, description })

export type RecordDeletion = Static<typeof RecordDeletion>
/** What was deleted, or would be: each record is counted once, and in the same way. */
export const RecordDeletion = Type.Object({
  change: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number by which it can be undone; null when nothing was deleted.',
  }),
  records: Type.Object({
    theme: count('Station records, without the derived ones; with those of waveforms that went.'),
    raw: count('Raw records.'),
    vibration: count('Waveforms.'),
    traffic: count('Vehicles.'),
    derived: count('Station records that went with their raw records, or got other values.'),
  }),
  alarms: Type.Array(
    Type.Object({
      id: Id,
      source: Type.Object({ id: Type.String(), name: Type.String() }),
      alarmTypeCode: Type.String(),
      level: Type.Integer(),
      hasEnded: Type.Boolean({
        description:
          'Whether it ends with the records that raised it; otherwise the next record decides.',
      }),
    }),
    { description: 'Alarms of these stations that were open.' },
  ),
})

export const deleteRecords = operation({
  operationId: 'deleteRecords',
  summary: 'Delete records of a station, a sensor or a structure',
  method: 'POST',
  url: '/records/delete',
  base: '/manage/v1',
  noun: 'records',
  config: finding('Deletion failed'),
  schema: {
    body: Type.Object({
      station: Type.Optional(Id),
      sensor: Type.Optional(Uuid),
      structure: Type.Optional(Id),
      factor: Type.Optional(Id),
      kinds: Type.Optional(
        Type.Array(Kind, {
          minItems: 1,
          maxItems: 4,
          description: 'Left out: all that there are.',
        }),
      ),
      startTime: DatetimeString,
      endTime: DatetimeString,
      dryRun: Type.Optional(
        Type.Boolean({ description: 'Whether to count only; left out: they are deleted.' }),
      ),
    }),
    response: { 200: RecordDeletion },
  },
})
