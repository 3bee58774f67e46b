import type { FastifyPluginAsync } from 'fastify'
import type { PlaybackGrants } from '../../camera/grants/playback-grants.ts'
import { isPermitted, type HookRequest } from '../../camera/media-server/hooks/hook-request.ts'
import { readMediaMtxHook } from '../../camera/media-server/hooks/mediamtx-hook.ts'
import { readSrsHook } from '../../camera/media-server/hooks/srs-hook.ts'
import { readZlMediaKitHook } from '../../camera/media-server/hooks/zlmediakit-hook.ts'

type HookRoutesOptions = { grants: Pick<PlaybackGrants, 'check'> }

type Hook = {
  read(body: unknown): HookRequest | undefined
  /** The body for a server that may play; MediaMTX reads only the status. */
  permitted: object
  refused: object
}

const REFUSAL = 'The playback address does not open this stream.'

/** Each media server by the last part of the path of its hook. */
const HOOKS: Readonly<Record<string, Hook>> = {
  mediamtx: { read: readMediaMtxHook, permitted: {}, refused: { message: REFUSAL } },
  srs: { read: readSrsHook, permitted: { code: 0 }, refused: { code: 1, msg: REFUSAL } },
  zlmediakit: {
    read: readZlMediaKitHook,
    permitted: { code: 0, msg: 'success' },
    refused: { code: -1, msg: REFUSAL },
  },
}

const BODY_BYTES = 16 * 1024

/**
 * Answers media servers that ask whether a playback grant holds. They need no token: the answer says
 * nothing that whoever has the grant could not find out by playing.
 */
export const mediaServerHookRoutes: FastifyPluginAsync<HookRoutesOptions> = async (
  app,
  { grants },
) => {
  for (const [name, { read, permitted, refused }] of Object.entries(HOOKS))
    app.post(
      `/${name}`,
      { schema: { hide: true }, bodyLimit: BODY_BYTES },
      async ({ body }, reply) => {
        if (await isPermitted(read(body), grants)) return permitted
        return reply.code(403).send(refused)
      },
    )
}
