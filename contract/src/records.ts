import { Type, type Static } from 'typebox'
import { Id, Instant, LIMIT_MAXIMUM, TimeString, Uuid } from './common.ts'
import { administering, finding, operation } from './operation.ts'
import { ValueQuality } from './quality.ts'

export type QualifiedRecords = Static<typeof QualifiedRecords>
/** Records with the qualities of their values, oldest first. */
export const QualifiedRecords = Type.Object({
  records: Type.Array(
    Type.Object({
      time: Instant,
      values: Type.Record(Type.String(), Type.Number(), {
        description: 'The values that are served, by item key; none where all are bad.',
      }),
      quality: Type.Optional(
        Type.Record(Type.String(), ValueQuality, {
          description: 'The qualities of values that are not simply good, by item key.',
        }),
      ),
    }),
  ),
})

const RecordsQuery = Type.Object({
  startTime: TimeString,
  endTime: TimeString,
  after: Type.Optional(
    Type.String({
      title: 'an instant such as 2026-01-31T08:30:00.250+08:00',
      description: 'The `time` of the last record of the page before.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAXIMUM, default: 1000 }),
})

export const listStationRecords = operation({
  operationId: 'listStationRecords',
  summary: 'List records of a station with the qualities of their values',
  method: 'GET',
  url: '/stations/:stationId/records',
  base: '/manage/v1',
  noun: 'records',
  config: finding('Records query failed'),
  schema: {
    params: Type.Object({ stationId: Id }),
    querystring: RecordsQuery,
    response: { 200: QualifiedRecords },
  },
})

export const listSensorRecords = operation({
  operationId: 'listSensorRecords',
  summary: 'List raw records of a sensor with the qualities of their values',
  method: 'GET',
  url: '/sensors/:sensorId/records',
  base: '/manage/v1',
  noun: 'records',
  config: finding('Records query failed'),
  schema: {
    params: Type.Object({ sensorId: Uuid }),
    querystring: RecordsQuery,
    response: { 200: QualifiedRecords },
  },
})

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
      startTime: TimeString,
      endTime: TimeString,
      dryRun: Type.Optional(
        Type.Boolean({
          description: 'Whether to count the records without deleting them. Default: false.',
        }),
      ),
    }),
    response: { 200: RecordDeletion },
  },
})
