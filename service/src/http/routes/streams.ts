import { finished, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Cameras } from '../../camera/cameras.ts'
import type { HeldGrant } from '../../camera/grants/playback-grants.ts'
import { keyOf, renditionOf } from '../../camera/stream/rendition.ts'
import type { Stream } from '../../camera/stream/stream.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { installPlayerScripts, PLAYER_PAGE } from '../player/player-page.ts'
import { sendBytes } from '../responses/send-bytes.ts'

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'
const SEGMENT_TYPE = 'video/mp2t'
const FLV_TYPE = 'video/x-flv'

/** A running FLV response is checked this often for its end. */
const RECHECK_MILLISECONDS = 500

type StreamRoutesOptions = Pick<Cameras, 'grants' | 'streams' | 'ffmpeg'>

type Path = { Params: { grant: string; file: string } }

/** Pages of any origin may play an address: the grant in it is all that is needed. */
const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/** Plays cameras below `/streams/GRANT/`, by the grant alone: a page, HLS and HTTP-FLV. */
export async function streamRoutes(
  app: FastifyInstance,
  { grants, streams, ffmpeg }: StreamRoutesOptions,
): Promise<void> {
  const schema = { hide: true }
  const endless = new Set<EndlessResponse>()
  installPlayerScripts(app)
  app.addHook('onRequest', async (_request, reply) => void reply.headers(CROSS_ORIGIN))

  /** The stream of a grant, which is started unless it plays. */
  const watch = async ({ camera, quality }: HeldGrant): Promise<Stream> => {
    const problem = await ffmpeg.findProblem()
    if (problem !== undefined) throw new RefusedError('unavailable', problem)
    return streams.watch(camera, renditionOf(camera, quality))
  }

  app.get<Path>('/streams/:grant', { schema }, async ({ params, raw }, reply) => {
    await grants.check(params.grant)
    // Its scripts and the playlist are beside the page.
    const [path = ''] = (raw.url ?? '').split('?')
    if (!path.endsWith('/')) return reply.redirect(`/streams/${params.grant}/`)
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', PLAYER_PAGE.policy)
      .send(PLAYER_PAGE.html)
  })

  app.get<Path>('/streams/:grant/index.m3u8', { schema }, async ({ params }, reply) => {
    const stream = await watch(await grants.check(params.grant))
    const playlist = await stream.playlist()
    // A grant may end while the first segment is awaited.
    await grants.check(params.grant)
    return reply.header('content-type', PLAYLIST_TYPE).send(playlist)
  })

  app.get<Path>('/streams/:grant/live.flv', { schema }, async ({ params, raw }, reply) => {
    const granted = await grants.check(params.grant)
    const stream = await watch(granted)
    const end = new AbortController()
    const isHeld = () => isStillHeld(params.grant, granted)
    const flv = await stream.flv(end.signal)
    const response = { end, isHeld, socket: raw.socket }
    endless.add(response)
    finished(reply.raw, () => endless.delete(response))
    return sendUntil(reply.header('content-type', FLV_TYPE), flv, response)
  })

  app.get<Path>('/streams/:grant/:file', { schema }, async ({ params }, reply) => {
    const { camera, quality } = await grants.check(params.grant)
    const stream = streams.find(camera, renditionOf(camera, quality))
    const segment = stream?.segment(params.file)
    if (stream === undefined || segment === undefined)
      throw new RefusedError('absent', 'There is no such segment, or it is no longer kept.')
    stream.use()
    return sendBytes(reply, SEGMENT_TYPE, segment)
  })

  // The service stops without waiting for the end of what has none.
  app.addHook('preClose', async () => {
    for (const response of endless) cutOff(response)
  })

  app.options('/streams/*', { schema }, async (_request, reply) =>
    reply
      .headers({ 'access-control-allow-methods': 'GET, HEAD', 'access-control-allow-headers': '*' })
      .code(204)
      .send(),
  )

  /** Whether a grant still opens what it opened. */
  async function isStillHeld(text: string, { camera, quality }: HeldGrant): Promise<boolean> {
    const now = await grants.check(text).catch((error: unknown) => {
      if (error instanceof RefusedError) return undefined
      throw error
    })
    if (now === undefined) return false
    const before = keyOf(camera, renditionOf(camera, quality))
    return keyOf(now.camera, renditionOf(now.camera, now.quality)) === before
  }
}

type EndlessResponse = {
  end: AbortController
  isHeld(): Promise<boolean>
  socket: NodeJS.EventEmitter & { destroy(): unknown }
}

/** Sends an endless stream until its client goes, or the grant holds no more. */
function sendUntil(
  reply: FastifyReply,
  flv: AsyncIterable<Buffer>,
  { end, isHeld, socket }: EndlessResponse,
): FastifyReply {
  const timer = setInterval(async () => {
    if (await isHeld().catch(() => true)) return
    cutOff({ end, socket })
  }, RECHECK_MILLISECONDS)
  // Also for a client that has gone while the first picture was awaited.
  finished(reply.raw, () => {
    clearInterval(timer)
    end.abort()
  })
  return reply.send(Readable.from(flv, { objectMode: false }))
}

/** Ends a response; what waits in its connection is not sent either. */
function cutOff({ end, socket }: Pick<EndlessResponse, 'end' | 'socket'>): void {
  end.abort()
  socket.destroy()
}
