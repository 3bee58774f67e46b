import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  dropRefusals as dropOperation,
  listRefusals as listOperation,
  replayRefusals as replayOperation,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { replayRefusals, type Replays } from '../../ingest/rejects/replay.ts'
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
    handler: async ({ query }) => ({
      origins: await refusals.count(),
      refusals: (await listWithin(refusals, query)).map(({ payload, ...refusal }) => ({
        ...refusal,
        payload: Buffer.from(payload).toString('base64'),
      })),
    }),
  })

  app.route({
    ...replayOperation,
    handler: ({ body }) => replayRefusals(refusals, replays, body.ids),
  })

  app.route({ ...dropOperation, handler: ({ body }) => refusals.remove(body.ids) })
}

/** A page ends early where its payloads reach this: the next one begins before its last id. */
const PAGE_BYTES = 4 * 2 ** 20
const ROWS_AT_ONCE = 8

type Page = Parameters<RefusalStore['list']>[0]

async function listWithin(refusals: RefusalStore, { limit, ...page }: Page) {
  const list: Awaited<ReturnType<RefusalStore['list']>>[number][] = []
  let bytes = 0
  let { before } = page
  while (list.length < limit && bytes < PAGE_BYTES) {
    const wanted = Math.min(ROWS_AT_ONCE, limit - list.length)
    const some = await refusals.list({
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
