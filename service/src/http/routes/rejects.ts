import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  dropRejects as dropOperation,
  listRejects as listOperation,
  replayRejects as replayOperation,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { replayRejects, type Replays } from '../../ingest/rejects/replay.ts'
import type { RejectStore } from '../../storage/storage.ts'

type Options = { rejects: RejectStore; replays: Replays }

/** What was refused may be of any structure: it is for those alone who may see all of them. */
export const rejectRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { rejects, replays },
) => {
  app.addHook('preHandler', async ({ caller }) => {
    if (caller.scope !== 'all')
      throw new RefusedError('forbidden', 'Rejects are for users who may see every structure.')
  })

  app.route({
    ...listOperation,
    handler: async ({ query }) => ({
      origins: await rejects.count(),
      rejects: (await listWithin(rejects, query)).map(({ payload, ...refusal }) => ({
        ...refusal,
        payload: Buffer.from(payload).toString('base64'),
      })),
    }),
  })

  app.route({
    ...replayOperation,
    handler: ({ body }) => replayRejects(rejects, replays, body.ids),
  })

  app.route({ ...dropOperation, handler: ({ body }) => rejects.remove(body.ids) })
}

/** A page ends early where its payloads reach this: the next one begins before its last id. */
const PAGE_BYTES = 4 * 2 ** 20
const ROWS_AT_ONCE = 8

type Page = Parameters<RejectStore['list']>[0]

async function listWithin(rejects: RejectStore, { limit, ...page }: Page) {
  const list: Awaited<ReturnType<RejectStore['list']>>[number][] = []
  let bytes = 0
  let { before } = page
  while (list.length < limit && bytes < PAGE_BYTES) {
    const wanted = Math.min(ROWS_AT_ONCE, limit - list.length)
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
