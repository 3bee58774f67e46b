import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  dropRejects as dropOperation,
  listRejects as listOperation,
  repairReject as repairOperation,
  replayRejects as replayOperation,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { repairReject, replayRejects, type Replays } from '../../ingest/rejects/replay.ts'
import type { RejectStore } from '../../storage/storage.ts'

type RejectRoutesOptions = { rejects: RejectStore; replays: Replays }

/** For users who may see every structure, since rejects may be of any of them. */
export const rejectRoutes: FastifyPluginAsyncTypebox<RejectRoutesOptions> = async (
  app,
  { rejects, replays },
) => {
  app.addHook('preHandler', async ({ caller }) => {
    if (caller.scope !== 'all')
      throw new RefusedError(
        'forbidden',
        'Only users with access to all structures can use rejects.',
      )
  })

  app.route({
    ...listOperation,
    handler: async ({ query }) => ({
      origins: await rejects.count(),
      rejects: (await listWithin(rejects, query)).map(({ payload, ...reject }) => ({
        ...reject,
        payload: Buffer.from(payload).toString('base64'),
      })),
    }),
  })

  app.route({
    ...replayOperation,
    handler: ({ body }) => replayRejects(rejects, replays, body.ids),
  })

  app.route({
    ...repairOperation,
    handler: async ({ params, body }, reply) => {
      const payload = Buffer.from(body.payload, 'base64')
      await repairReject(rejects, replays, { id: params.rejectId, payload })
      return reply.code(204).send()
    },
  })

  app.route({ ...dropOperation, handler: ({ body }) => rejects.remove(body.ids) })
}

/** A page ends when its payloads have this size; the next page begins before its last id. */
const PAGE_BYTES = 4 * 2 ** 20
const QUERY_ROWS = 8

type RejectPage = Parameters<RejectStore['list']>[0]

async function listWithin(rejects: RejectStore, { limit, ...page }: RejectPage) {
  const list: Awaited<ReturnType<RejectStore['list']>>[number][] = []
  let bytes = 0
  let { before } = page
  while (list.length < limit && bytes < PAGE_BYTES) {
    const wanted = Math.min(QUERY_ROWS, limit - list.length)
    const some = await rejects.list({
      ...page,
      limit: wanted,
      ...(before === undefined ? {} : { before }),
    })
    list.push(...some)
    bytes += some.reduce((sum, { payload }) => sum + payload.length, 0)
    before = some.at(-1)?.id
    if (some.length < wanted) break
  }
  return list
}
