import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { streamEvents, type ServerEvent } from '@plumbline/contract'
import type { EventFeed, FeedEvent } from '../../overview/event-feed.ts'
import type { Storage } from '../../storage/storage.ts'
import { contentHeaders } from '../responses/content-headers.ts'
import { shelvedAlarms } from '../responses/found-alarm.ts'
import type { Caller } from '../security/caller.ts'

type EventRoutesOptions = {
  feed: EventFeed
  storage: Pick<Storage, 'shelvings'>
  now(): number
}

/** Of a client that does not read, no more than this is kept in memory. */
const WAITING_BYTES = 16 * 1024

export const eventRoutes: FastifyPluginAsyncTypebox<EventRoutesOptions> = async (app, options) => {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  app.route({
    ...streamEvents,
    handler: async ({ caller, query, headers }, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const since = [headers['last-event-id']].flat()[0] ?? query.lastEventId
      const signal = AbortSignal.any([gone.signal, closing.signal])
      void reply.headers({
        ...contentHeaders({ type: streamEvents.produces }),
        'cache-control': 'no-store',
        // Proxies such as nginx otherwise collect the response.
        'x-accel-buffering': 'no',
      })
      const texts = textsOf(options.feed.follow(since, signal), caller, options)
      return reply.send(Readable.from(texts, { objectMode: false, highWaterMark: WAITING_BYTES }))
    },
  })
}

async function* textsOf(
  events: AsyncIterable<FeedEvent>,
  caller: Caller,
  options: EventRoutesOptions,
): AsyncGenerator<string> {
  for await (const one of events) {
    const text = await textOf(one, caller, options)
    if (text !== undefined) yield text
  }
}

/** An event as a client sees it; undefined for what belongs to a structure without access. */
async function textOf(
  one: FeedEvent,
  caller: Caller,
  { storage, now }: EventRoutesOptions,
): Promise<string | undefined> {
  switch (one.type) {
    case 'start':
      return `id: ${one.id}\n\n`
    case 'idle':
      return ':\n\n'
    case 'reset':
      return write({ type: 'reset', id: one.id }, one.id)
    case 'newest': {
      const { structure, stations } = one.change
      if (!caller.maySee(structure)) return undefined
      return write({ type: 'newest', structureId: structure, stationIds: [...stations] })
    }
    case 'alarm': {
      const { alarm, detail, step } = one.event
      if (!caller.maySee(alarm.structure)) return undefined
      const [shown] = await shelvedAlarms(storage, [alarm], caller.catalogue, now())
      if (shown === undefined) return undefined
      return write({ type: 'alarm', id: one.id, step, transition: detail, alarm: shown }, one.id)
    }
  }
}

const write = (event: ServerEvent, id?: string): string =>
  `event: ${event.type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`
