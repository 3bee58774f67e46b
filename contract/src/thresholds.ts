import { Type, type Static } from 'typebox'
import { DatetimeString, Id, NamedId, TimeString, Uuid } from './common.ts'
import { finding, operation } from './operation.ts'

const SlotTime = Type.Union([DatetimeString, Type.Null()])

export type ThresholdBatch = Static<typeof ThresholdBatch>
export const ThresholdBatch = Type.Object({
  batchNo: Uuid,
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        unit: Type.String(),
        timeDivision: Type.Boolean(),
        config: Type.Array(
          Type.Object({
            startTime: SlotTime,
            endTime: SlotTime,
            thresholds: Type.Array(
              Type.Object({
                level: Type.Integer(),
                value: Type.String({ examples: ['(-10,-5);(5,10)', '(20,+)'] }),
              }),
            ),
          }),
        ),
      }),
    ),
    stations: Type.Array(NamedId),
  }),
})

export const listThresholdBatches = operation({
  operationId: 'listThresholdBatches',
  summary: 'List the threshold batches of a factor of a structure',
  method: 'GET',
  url: '/structures/:structId/factors/:factorId/threshold/batches',
  base: '/api/v1',
  noun: 'thresholds',
  config: finding('Threshold query failed'),
  schema: {
    params: Type.Object({ structId: Id, factorId: Id }),
    response: { 200: Type.Array(ThresholdBatch) },
  },
})

/** A threshold batch as in a site file, whose schema checks its members. */
const ThresholdDraft = Type.Object(
  {},
  {
    description:
      'A threshold batch as in a site file: `stations`, `items`, `enabled`, `raiseAfter`, `clearAfter`, `clearAfterMinutes`, `needsPerson`.',
  },
)

export type ThresholdDrafts = Static<typeof ThresholdDrafts>
/** The threshold batches of a structure, whole: with their rules, and those that are switched off. */
export const ThresholdDrafts = Type.Array(
  Type.Object({
    factorId: Id,
    batchNo: Uuid,
    thresholds: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The batch as in a site file.',
    }),
  }),
)

export const listThresholdDrafts = operation({
  operationId: 'listThresholdDrafts',
  summary: 'List the threshold batches of a structure as in a site file',
  method: 'GET',
  url: '/structures/:structId/threshold/batches',
  base: '/manage/v1',
  noun: 'thresholds',
  config: finding('Threshold query failed'),
  schema: {
    params: Type.Object({ structId: Id }),
    response: { 200: ThresholdDrafts },
  },
})

const managing = <const Message extends string>(message: Message) =>
  ({ access: 'token', scope: 'operate', failure: { name: 'ManageError', message } }) as const

export type KeptBatch = Static<typeof KeptBatch>
export const KeptBatch = Type.Object({
  batchNo: Uuid,
  notes: Type.Array(Type.String(), {
    description: 'Warnings about values that are allowed but unusual.',
  }),
})

const batchParams = { structId: Id, factorId: Id, batchNo: Uuid }

export const createThresholdBatch = operation({
  operationId: 'createThresholdBatch',
  summary: 'Add a threshold batch to a factor of a structure',
  method: 'POST',
  url: '/structures/:structId/factors/:factorId/threshold/batches',
  base: '/manage/v1',
  noun: 'thresholds',
  config: managing('Thresholds not changed'),
  schema: {
    params: Type.Object({ structId: Id, factorId: Id }),
    body: Type.Object({ thresholds: ThresholdDraft }),
    response: { 200: KeptBatch },
  },
})

export const changeThresholdBatch = operation({
  operationId: 'changeThresholdBatch',
  summary: 'Replace a threshold batch',
  method: 'PUT',
  url: '/structures/:structId/factors/:factorId/threshold/batches/:batchNo',
  base: '/manage/v1',
  noun: 'thresholds',
  config: managing('Thresholds not changed'),
  schema: {
    params: Type.Object(batchParams),
    body: Type.Object({ thresholds: ThresholdDraft }),
    response: { 200: KeptBatch },
  },
})

export const deleteThresholdBatch = operation({
  operationId: 'deleteThresholdBatch',
  summary: 'Delete a threshold batch',
  method: 'DELETE',
  url: '/structures/:structId/factors/:factorId/threshold/batches/:batchNo',
  base: '/manage/v1',
  noun: 'thresholds',
  config: managing('Thresholds not changed'),
  schema: { params: Type.Object(batchParams), response: { 204: Type.Void() } },
})

export type BackTest = Static<typeof BackTest>
/** The alarms that draft thresholds would have raised, by station and month. */
export const BackTest = Type.Object({
  stations: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      records: Type.Integer(),
      alarms: Type.Integer(),
      rows: Type.Array(
        Type.Object({
          month: Type.String({ examples: ['2026-03'] }),
          alarmTypeCode: Type.String(),
          level: Type.Integer(),
          count: Type.Integer(),
          first: DatetimeString,
          last: DatetimeString,
          longestSeconds: Type.Integer(),
        }),
      ),
    }),
  ),
  notes: Type.Array(Type.String()),
})

export const backtestThresholds = operation({
  operationId: 'backtestThresholds',
  summary: 'Count the alarms that draft thresholds would have raised',
  method: 'POST',
  url: '/thresholds/backtest',
  base: '/manage/v1',
  noun: 'thresholds',
  // A back-test stores nothing.
  config: { ...managing('Back-test failed'), scope: 'read' },
  schema: {
    body: Type.Object({
      structure: Id,
      factor: Id,
      startTime: TimeString,
      endTime: TimeString,
      thresholds: ThresholdDraft,
    }),
    response: { 200: BackTest },
  },
})
