import { createHmac } from 'node:crypto'
import type { CameraEntry } from '../../domain/site/site-entry.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type { AccountStore } from '../../storage/storage.ts'
import {
  formatGrant,
  isSignedFor,
  parseGrant,
  type GrantHolder,
  type Quality,
} from './grant-text.ts'

type PlaybackGrantsOptions = {
  secret: Uint8Array
  catalogue: CurrentCatalogue
  accounts: Pick<AccountStore, 'findSecrets'>
  now(): number
}

/** A grant that holds, and its camera. */
export type HeldGrant = { camera: CameraEntry; quality: Quality; expires: number }

type NewGrant = { quality: Quality; holder: GrantHolder; expiresAt: number }

/** Who holds a grant: the user whose structures count, null for every structure, and the key that signs it. */
type Holder = { userId: number | null; key: Uint8Array }

/** Makes the signed parts of playback addresses, and checks them against the site of the moment. */
export class PlaybackGrants {
  readonly #options: PlaybackGrantsOptions

  constructor(options: PlaybackGrantsOptions) {
    this.#options = options
  }

  /** The grant of a camera for its holder until an instant, which is cut to its second. */
  async make(camera: CameraEntry, { quality, holder, expiresAt }: NewGrant): Promise<string> {
    const { key } = await this.#find(holder)
    const expires = Math.floor(expiresAt / 1000)
    return formatGrant({ camera: camera.id, quality, expires, holder }, camera, key)
  }

  /**
   * The camera that a grant opens now; throws `forbidden` for one that is altered or expired, for a camera
   * that is gone, for a holder who may not see the structure any more, and for an account that is disabled
   * or has another password.
   */
  async check(text: string): Promise<HeldGrant> {
    const parsed = parseGrant(text)
    const catalogue = await this.#options.catalogue()
    const camera = catalogue.cameras.find(({ id }) => id === parsed?.grant.camera)
    if (parsed === undefined || camera === undefined) throw notValid()
    const { quality, expires, holder } = parsed.grant
    const { userId, key } = await this.#find(holder)
    if (!isSignedFor(parsed, camera, key)) throw 'user' in holder ? notValid() : notValidOfAccount()
    if (expires * 1000 <= this.#options.now())
      throw new RefusedError('forbidden', 'This playback address has expired.')
    if (!maySee(catalogue, userId, camera))
      throw new RefusedError(
        'forbidden',
        'The user of this playback address may not see the camera any more.',
      )
    return { camera, quality, expires }
  }

  async #find(holder: GrantHolder): Promise<Holder> {
    const { secret, accounts } = this.#options
    if ('user' in holder) return { userId: holder.user, key: secret }
    const account = await accounts.findSecrets(holder.account)
    if (account === undefined || account.isDisabled || account.password === null)
      throw notValidOfAccount()
    // With another password it is another key: who resets an account ends what others have opened with it.
    const key = createHmac('sha256', secret).update(account.password).digest()
    return { userId: account.userId, key }
  }
}

const notValid = (): RefusedError =>
  new RefusedError('forbidden', 'This playback address is not valid.')

const notValidOfAccount = (): RefusedError =>
  new RefusedError(
    'forbidden',
    'This playback address is not valid: it was altered, or its account is disabled or has a new password.',
  )

function maySee({ users }: Catalogue, userId: number | null, { structure }: CameraEntry): boolean {
  if (userId === null) return true
  const structures = users.get(userId)?.structures ?? []
  return structures === 'all' || structures.includes(structure)
}
