import { RefusedError } from '../../../errors/refused-error.ts'
import type { PlaybackGrants } from '../../grants/playback-grants.ts'
import { parsePathName } from '../path-name.ts'

/** What a media server asks about: who wants to play or to publish which stream. */
export type HookRequest = Readonly<{
  /** The name of the stream on the media server. */
  path: string
  action: 'play' | 'publish'
  /** The playback grant in the query of the address; undefined without one, or with several. */
  grant: string | undefined
}>

/**
 * Whether a grant holds for the very camera and quality of the stream that a media server asks about.
 * Nobody may publish.
 */
export async function isPermitted(
  request: HookRequest | undefined,
  grants: Pick<PlaybackGrants, 'check'>,
): Promise<boolean> {
  if (request?.action !== 'play' || request.grant === undefined) return false
  const asked = parsePathName(request.path)
  if (asked === undefined) return false
  try {
    const { camera, quality } = await grants.check(request.grant)
    return camera.id === asked.camera && quality === asked.quality
  } catch (error) {
    if (error instanceof RefusedError && error.reason === 'forbidden') return false
    throw error
  }
}

/** The grant in the query of an address, with or without its question mark. */
export function grantIn(query: string): string | undefined {
  const [grant, ...more] = new URLSearchParams(query).getAll('grant')
  return more.length === 0 ? grant : undefined
}

export const hasMember = (body: unknown, name: string): body is object =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)

/** The member of a body, where it is text. */
export function textMember(body: unknown, name: string): string | undefined {
  if (!hasMember(body, name)) return undefined
  const value: unknown = Reflect.get(body, name)
  return typeof value === 'string' ? value : undefined
}
