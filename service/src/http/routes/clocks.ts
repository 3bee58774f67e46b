import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listClocks } from '@plumbline/contract'
import { listAhead } from '../../ingest/records/clock-state.ts'
import type { BehindSources } from '../../ingest/records/behind-sources.ts'
import type { Storage } from '../../storage/storage.ts'

type ClockRoutesOptions = {
  storage: Pick<Storage, 'earlyRecords'>
  behind: BehindSources | undefined
  now(): number
  horizon(): number
}

export const clockRoutes: FastifyPluginAsyncTypebox<ClockRoutesOptions> = async (
  app,
  { storage, behind, now, horizon },
) => {
  app.route({
    ...listClocks,
    handler: async ({ caller }) => {
      const time = now()
      const sources = await listAhead(storage.earlyRecords, caller.catalogue, time)
      const { scope, catalogue } = caller
      const isVisible = ({ structure }: { structure: number }): boolean =>
        scope === 'all' || scope.includes(structure)
      return {
        now: time,
        toleranceSeconds: Math.round((horizon() - time) / 1000),
        sources: sources.filter(isVisible),
        earliestTime: behind?.earliest ?? 0,
        behind: (behind?.list(catalogue, time) ?? []).filter(isVisible),
      }
    },
  })
}
