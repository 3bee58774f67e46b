import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Throttle } from '../../access/throttle.ts'
import { parseBasicCredentials } from '../../domain/access/basic-credentials.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type { ApplicationStore } from '../../storage/storage.ts'

export type CredentialOptions = {
  applications: Pick<ApplicationStore, 'find'>
  catalogue: CurrentCatalogue
  throttle: Throttle
}

/** Compared for an unknown application, so that the check takes as long; no secret has this hash. */
const UNKNOWN = { userId: Number.NaN, secretHash: new Uint8Array(32) }

/**
 * The id of the application whose credentials the request carries; throws a `RefusedError` for wrong
 * ones. A correct secret is accepted however many wrong ones came before.
 */
export async function identifyApplication(
  request: FastifyRequest,
  { applications, catalogue, throttle }: CredentialOptions,
): Promise<string> {
  const credentials = parseBasicCredentials(request.headers.authorization)
  if (credentials === undefined)
    throw new RefusedError(
      'invalid',
      'the Authorization header must be Basic with the Base64 text of <application id>:<application secret>',
    )

  const hash = hashSecret(credentials.secret)
  const application = await applications.find(credentials.id)
  const { users } = await catalogue()
  const { userId, secretHash } = application ?? UNKNOWN
  const isCorrect = timingSafeEqual(secretHash, hash)
  if (application !== undefined) request.security.application = credentials.id
  if (isCorrect && users.has(userId)) {
    request.security.user = userId
    return credentials.id
  }

  request.security.reason = 'credentials'
  const seconds = await throttle.fail(request.clientAddress, credentials.id)
  if (seconds === 0) throw new RefusedError('invalid', 'the application id or secret is wrong')
  throw new RefusedError('tooMany', 'Too many wrong credentials.', { retryAfterSeconds: seconds })
}
