import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  dropRefusals as dropOperation,
  listRefusals as listOperation,
  replayRefusals as replayOperation,
} from '@plumbline/contract'
import { RefusedError } from '../../domain/refused-error.ts'
import { replayRefusals, type Replays } from '../../ingest/replay.ts'
import type { RefusalStore } from '../../storage/storage.ts'

type Options = { refusals: RefusalStore; replays: Replays }

/** What was refused may be of any structure: it is for those alone who may see all of them. */
export const refusalRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { refusals, replays },
) => {
  app.addHook('preHandler', async ({ caller }) => {
    if (caller.scope !== 'all')
      throw new RefusedError('forbidden', 'Refusals are for users who may see every structure.')
  })

  app.route({
    ...listOperation,
    handler: async ({ query }) => {
      const list = await refusals.list(query)
      return {
        origins: await refusals.count(),
        refusals: list.map(({ payload, ...refusal }) => ({
          ...refusal,
          payload: Buffer.from(payload).toString('base64'),
        })),
      }
    },
  })

  app.route({
    ...replayOperation,
    handler: ({ body }) => replayRefusals(refusals, replays, body.ids),
  })

  app.route({ ...dropOperation, handler: ({ body }) => refusals.remove(body.ids) })
}
