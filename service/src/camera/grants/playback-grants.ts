import type { CameraEntry } from '../../domain/site/site-entry.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import { formatGrant, isSignedFor, parseGrant, type Grant, type Quality } from './grant-text.ts'

type PlaybackGrantsOptions = {
  secret: Uint8Array
  catalogue: CurrentCatalogue
  now(): number
}

/** A grant that holds, and its camera. */
export type HeldGrant = { camera: CameraEntry; quality: Quality; expires: number; user: number }

/** Makes the signed parts of playback addresses, and checks them against the site of the moment. */
export class PlaybackGrants {
  readonly #secret: Uint8Array
  readonly #catalogue: CurrentCatalogue
  readonly #now: () => number

  constructor({ secret, catalogue, now }: PlaybackGrantsOptions) {
    this.#secret = secret
    this.#catalogue = catalogue
    this.#now = now
  }

  /** The grant of a camera for a user until an instant, which is cut to its second. */
  make(camera: CameraEntry, grant: { quality: Quality; user: number; expiresAt: number }): string {
    const { quality, user, expiresAt } = grant
    const expires = Math.floor(expiresAt / 1000)
    return formatGrant({ camera: camera.id, quality, expires, user }, camera, this.#secret)
  }

  /**
   * The camera that a grant opens now; throws `forbidden` for one that is altered or expired, for a
   * camera that is gone, and for a user who may not see the structure any more.
   */
  async check(text: string): Promise<HeldGrant> {
    const parsed = parseGrant(text)
    const catalogue = await this.#catalogue()
    const camera = catalogue.cameras.find(({ id }) => id === parsed?.grant.camera)
    if (parsed === undefined || camera === undefined) throw notValid()
    if (!isSignedFor(parsed, camera, this.#secret)) throw notValid()
    const { quality, expires, user } = parsed.grant
    if (expires * 1000 <= this.#now())
      throw new RefusedError('forbidden', 'This playback address has expired.')
    if (!maySee(catalogue, parsed.grant, camera))
      throw new RefusedError(
        'forbidden',
        'The user of this playback address may not see the camera any more.',
      )
    return { camera, quality, expires, user }
  }
}

const notValid = (): RefusedError =>
  new RefusedError('forbidden', 'This playback address is not valid.')

/** Administrators who are no user of the site file see every structure. */
const EVERY_STRUCTURE = 0

function maySee({ users }: Catalogue, { user }: Grant, { structure }: CameraEntry): boolean {
  if (user === EVERY_STRUCTURE) return true
  const structures = users.get(user)?.structures ?? []
  return structures === 'all' || structures.includes(structure)
}
