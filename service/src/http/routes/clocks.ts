import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listClocks } from '@plumbline/contract'
import { listAhead } from '../../ingest/clock-state.ts'
import type { Storage } from '../../storage/storage.ts'

type Options = { storage: Pick<Storage, 'early'>; now(): number; horizon(): number }

export const clockRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { storage, now, horizon },
) => {
  app.route({
    ...listClocks,
    handler: async ({ caller }) => {
      const time = now()
      const sources = await listAhead(storage.early, caller.catalogue, time)
      const { scope } = caller
      return {
        now: time,
        toleranceSeconds: Math.round((horizon() - time) / 1000),
        sources: sources.filter(({ structure }) => scope === 'all' || scope.includes(structure)),
      }
    },
  })
}
