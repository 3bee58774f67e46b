import { Type, type Static } from 'typebox'
import { DatetimeString, Id, NamedId, Uuid } from './common.ts'
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
