import { randomBytes } from 'node:crypto'
import { SourceError } from '../opened-source.ts'
import type { Credentials } from '../parse-source.ts'
import { parseChallenges } from './challenges.ts'
import { readDigest, writeDigest, type DigestChallenge } from './digest.ts'

type Way =
  | { scheme: 'basic' }
  | { scheme: 'digest'; challenge: DigestChallenge; count: number; hasWorked: boolean }

/** So often in a row a camera may say that a digest is too old. */
const MOST_CHALLENGES = 3

/**
 * Logs in at a camera as it asks for it.
 *
 * Nothing is sent before the camera asks. Basic sends the password in clear, and many cameras know
 * nothing else: it is used only where a camera offers no digest.
 */
export class CameraLogin {
  readonly #credentials: Credentials | undefined
  #way: Way | undefined
  /** Challenges in a row. */
  #challenges = 0

  constructor(credentials: Credentials | undefined) {
    this.#credentials = credentials
  }

  /** The value of `Authorization` of the next request; undefined while the camera has not asked. */
  authorize(method: string, uri: string): string | undefined {
    if (this.#credentials === undefined || this.#way === undefined) return undefined
    const { user, password } = this.#credentials
    if (this.#way.scheme === 'basic')
      return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    return writeDigest(this.#way.challenge, this.#credentials, {
      method,
      uri,
      count: ++this.#way.count,
      clientNonce: randomBytes(8).toString('hex'),
    })
  }

  /** Says that the camera accepted a request. */
  accepted(): void {
    this.#challenges = 0
    if (this.#way?.scheme === 'digest') this.#way.hasWorked = true
  }

  /**
   * Reads the challenges of a 401, after which the request is to be sent again.
   *
   * Throws a SourceError where that is of no use; a digest that has worked may only be too old.
   */
  challenged(values: readonly string[]): void {
    if (this.#credentials === undefined)
      throw new SourceError('The camera asks for a user name and a password.')
    const challenges = parseChallenges(values)
    const digest = challenges.map(readDigest).find((one) => one !== undefined)
    const before = this.#way
    const isRenewed =
      before?.scheme === 'digest' && digest !== undefined && (digest.isStale || before.hasWorked)
    if (before !== undefined && (!isRenewed || ++this.#challenges > MOST_CHALLENGES))
      throw new SourceError('The camera refused the user name or the password.')
    const offersDigest = challenges.some(({ scheme }) => scheme === 'digest')
    const offersBasic = challenges.some(({ scheme }) => scheme === 'basic')
    if (digest !== undefined)
      this.#way = { scheme: 'digest', challenge: digest, count: 0, hasWorked: false }
    else if (offersBasic && !offersDigest) this.#way = { scheme: 'basic' }
    else
      throw new SourceError(
        'The camera asks for a way to log in that is not known: digest with MD5 or SHA-256, and basic, are.',
      )
  }
}
