import { randomBytes } from 'node:crypto'
import { RefusedError } from '../errors/refused-error.ts'
import type { KeyTargets } from '../domain/access/key-targets.ts'
import { hashSecret } from '../domain/access/secret.ts'
import type { Storage } from '../storage/storage.ts'

/** Creates an ingest key, which only the result has; without targets it may write to everything. */
export async function createIngestKey(
  { ingestKeys }: Pick<Storage, 'ingestKeys'>,
  name: string,
  targets: KeyTargets | undefined,
): Promise<string> {
  const keys = await ingestKeys.list()
  if (keys.some((one) => one.name === name && one.revokedAt === null))
    throw new RefusedError(
      'invalid',
      'There is already an active key of this name; revoke it first.',
    )
  const secret = `plk_${randomBytes(32).toString('hex')}`
  await ingestKeys.add(name, hashSecret(secret), Date.now(), targets)
  return secret
}
