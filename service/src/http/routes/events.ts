import { finished, Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { streamEvents, type ServerEvent } from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
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

/** Event streams that one account or application may follow at once; a page of the console takes one. */
const STREAMS_OF_CALLER = 50

export const eventRoutes: FastifyPluginAsyncTypebox<EventRoutesOptions> = async (app, options) => {
  const closing = new AbortController()
  const open = new OpenStreams()
  app.addHook('preClose', async () => closing.abort())

  app.route({
    ...streamEvents,
    handler: async ({ caller, identity, query, headers }, reply) => {
      const gone = new AbortController()
      // Also for a client that has gone while its token was looked up.
      finished(reply.raw, () => gone.abort())
      open.add(`${identity?.who.kind} ${identity?.who.name}`, gone.signal)
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

/** Counts the streams of each caller until they end. */
class OpenStreams {
  readonly #counts = new Map<string, number>()

  /** Counts a stream until its signal is aborted; throws 429 for one too many. */
  add(who: string, signal: AbortSignal): void {
    const count = this.#counts.get(who) ?? 0
    if (count >= STREAMS_OF_CALLER)
      throw new RefusedError(
        'tooMany',
        `You follow events ${STREAMS_OF_CALLER} times already: end one of those requests.`,
        { retryAfterSeconds: 30 },
      )
    this.#counts.set(who, count + 1)
    signal.addEventListener('abort', () => this.#remove(who), { once: true })
  }

  #remove(who: string): void {
    const left = (this.#counts.get(who) ?? 1) - 1
    if (left > 0) this.#counts.set(who, left)
    else this.#counts.delete(who)
  }
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
