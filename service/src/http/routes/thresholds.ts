import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { randomUUID } from 'node:crypto'
import {
  backtestThresholds,
  changeThresholdBatch,
  createThresholdBatch,
  deleteThresholdBatch,
  listThresholdBatches,
  listThresholdDrafts,
  type ThresholdBatch,
} from '@plumbline/contract'
import { runBackTest } from '../../alarms/run-back-test.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import type { FactorEntry, ThresholdBatchEntry } from '../../domain/site/site-entry.ts'
import { slotTime } from '../../domain/alarms/threshold.ts'
import { putBatch, removeBatch } from '../../site/threshold-batches/manage-batches.ts'
import { unflattenBatch } from '../../site/show/unflatten-factor.ts'
import { planBatch } from '../../site/threshold-batches/plan-batch.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Caller } from '../security/caller.ts'
import { memberOf } from '../requests/member-of.ts'
import { checkManageWindow, toManageInstants } from '../requests/manage-window.ts'

export const thresholdRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    ...listThresholdBatches,
    handler: async ({ caller, params }) => {
      const { entry } = caller.findStructure(params.structId)
      const factor = caller.findFactor(params.factorId)
      caller.permit(entry.id)
      return caller.catalogue
        .listThresholdBatches(entry.id, factor.id)
        .filter(({ enabled = true }) => enabled)
        .map((batch) => toThresholdBatch(batch, factor, caller.catalogue))
    },
  })
}

type ThresholdManageOptions = { storage: Pick<Storage, 'site' | 'records'> }

export const thresholdManageRoutes: FastifyPluginAsyncTypebox<ThresholdManageOptions> = async (
  app,
  { storage: { site, records } },
) => {
  app.route({
    ...listThresholdDrafts,
    handler: async ({ caller, params }) => {
      const { entry } = caller.findStructure(params.structId)
      caller.permit(entry.id)
      return [...caller.catalogue.factors.keys()].flatMap((factorId) =>
        caller.catalogue
          .listThresholdBatches(entry.id, factorId)
          .map((batch) => ({ factorId, batchNo: batch.id, thresholds: unflattenBatch(batch) })),
      )
    },
  })

  app.route({
    ...createThresholdBatch,
    handler: async ({ caller, params, body }) => {
      const place = findPlace(caller, params.structId, params.factorId)
      const batchNo = memberOf(body.thresholds, 'batchNo') ?? randomUUID()
      return putBatch(site, { ...place, batch: { ...body.thresholds, batchNo }, mode: 'create' })
    },
  })

  app.route({
    ...changeThresholdBatch,
    handler: async ({ caller, params, body }) => {
      const place = findPlace(caller, params.structId, params.factorId)
      const batch = { ...body.thresholds, batchNo: params.batchNo }
      return putBatch(site, { ...place, batch, mode: 'change' })
    },
  })

  app.route({
    ...deleteThresholdBatch,
    handler: async ({ caller, params }, reply) => {
      const place = findPlace(caller, params.structId, params.factorId)
      await removeBatch(site, place, params.batchNo)
      return reply.code(204).send()
    },
  })

  app.route({
    ...backtestThresholds,
    handler: async ({ caller, body }) => {
      const { startTime, endTime } = body
      checkManageWindow({ startTime, endTime })
      const place = findPlace(caller, body.structure, body.factor)
      const { entries } = await site.load()
      const batch = { batchNo: randomUUID(), ...body.thresholds }
      const { entry, notes } = planBatch(entries, place, batch, { isAlone: true })
      const { zone } = caller.findStructure(place.structure)
      const window = toManageInstants({ startTime, endTime }, zone)
      return { stations: await runBackTest(records, caller.catalogue, entry, window), notes }
    },
  })
}

function findPlace(caller: Caller, structId: number, factorId: number) {
  const { entry } = caller.findStructure(structId)
  const factor = caller.findFactor(factorId)
  caller.permit(entry.id)
  return { structure: entry.id, factor: factor.id }
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
