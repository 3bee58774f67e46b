import { Type, type Static } from 'typebox'
import { DatetimeString, Id, Uuid } from './common.ts'
import { administering, operation } from './operation.ts'

const Kind = Type.Union([
  Type.Literal('theme'),
  Type.Literal('raw'),
  Type.Literal('vibration'),
  Type.Literal('traffic'),
])

const count = (description: string) => Type.Integer({ minimum: 0, description })

export type RecordDeletion = Static<typeof RecordDeletion>
/** The deleted records, or with `dryRun` those that would be deleted. Each record is counted once. */
export const RecordDeletion = Type.Object({
  change: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number of the change, for `plumbline undo`; null when nothing was deleted.',
  }),
  records: Type.Object({
    theme: count('Station records that are not derived, including those of deleted waveforms.'),
    raw: count('Raw records.'),
    vibration: count('Waveforms.'),
    traffic: count('Vehicles.'),
    derived: count('Derived station records that were deleted or changed with their raw records.'),
  }),
  alarms: Type.Array(
    Type.Object({
      id: Id,
      source: Type.Object({ id: Type.String(), name: Type.String() }),
      alarmTypeCode: Type.String(),
      level: Type.Integer(),
      hasEnded: Type.Boolean({
        description: 'Whether the deletion ends the alarm. Otherwise the next record is evaluated.',
      }),
    }),
    { description: 'Open alarms of these stations.' },
  ),
})

export const deleteRecords = operation({
  operationId: 'deleteRecords',
  summary: 'Delete records of a station, a sensor or a structure',
  method: 'POST',
  url: '/records/delete',
  base: '/manage/v1',
  noun: 'records',
  config: administering('Deletion failed'),
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
          description: 'Default: all kinds of the source.',
        }),
      ),
      startTime: DatetimeString,
      endTime: DatetimeString,
      dryRun: Type.Optional(
        Type.Boolean({
          description: 'Whether to count the records without deleting them. Default: false.',
        }),
      ),
    }),
    response: { 200: RecordDeletion },
  },
})
