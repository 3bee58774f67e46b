import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listThresholdBatches, type ThresholdBatch } from '@plumbline/contract'
import type { Catalogue } from '../../domain/catalogue.ts'
import type { FactorEntry, ThresholdBatchEntry } from '../../domain/site-entry.ts'
import { slotTime } from '../../domain/threshold.ts'

export const thresholdRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    ...listThresholdBatches,
    handler: async ({ caller, params }) => {
      const { entry } = caller.findStructure(params.structId)
      const factor = caller.findFactor(params.factorId)
      caller.permit(entry.id)
      return caller.catalogue
        .listThresholdBatches(entry.id, factor.id)
        .map((batch) => toThresholdBatch(batch, factor, caller.catalogue))
    },
  })
}

const toThresholdBatch = (
  batch: ThresholdBatchEntry,
  factor: FactorEntry,
  { stations }: Catalogue,
): ThresholdBatch => ({
  batchNo: batch.id,
  data: {
    items: batch.items.flatMap(({ item, timeDivision, config }) =>
      factor.items
        .filter(({ key }) => key === item)
        .map(({ id, name, unit }) => ({
          id,
          name,
          unit,
          timeDivision,
          config: config.map((slot) => ({
            startTime: slotTime(slot.startTime),
            endTime: slotTime(slot.endTime),
            thresholds: slot.thresholds,
          })),
        })),
    ),
    stations: batch.stations
      .map((id) => stations.get(id))
      .filter((station) => station !== undefined)
      .map(({ entry }) => ({ id: entry.id, name: entry.name })),
  },
})
