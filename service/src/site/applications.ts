import { randomBytes, randomUUID } from 'node:crypto'
import { RefusedError } from '../errors/refused-error.ts'
import { hashSecret } from '../domain/access/secret.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Application, ApplicationStore, Storage } from '../storage/storage.ts'

export type Credentials = { appId: string; appSecret: string }

/** Creates an application of a user; only the result has its secret. */
export async function createApplication(
  storage: Pick<Storage, 'applications' | 'site'>,
  { userId, name, scope }: Pick<Application, 'userId' | 'name' | 'scope'>,
): Promise<Credentials> {
  const { users } = await openCatalogue(storage.site)()
  if (!users.has(userId))
    throw new RefusedError(
      'absent',
      users.size === 0
        ? 'There are no users. Declare them in a site file and run "plumbline site apply".'
        : `There is no user ${userId}; the users are ${[...users.keys()].join(', ')}.`,
    )
  const appId = randomUUID()
  const appSecret = makeSecret()
  await storage.applications.add(
    { id: appId, userId, name, scope, createdAt: Date.now() },
    hashSecret(appSecret),
  )
  return { appId, appSecret }
}

/** Replaces the secret of an application; undefined where there is none that is active. */
export async function renewSecret(
  applications: Pick<ApplicationStore, 'changeSecret'>,
  appId: string,
): Promise<Credentials | undefined> {
  const appSecret = makeSecret()
  const isRenewed = await applications.changeSecret(appId, hashSecret(appSecret))
  return isRenewed ? { appId, appSecret } : undefined
}

/** A random secret in hexadecimal, which needs no encoding in a Basic header. */
export const makeSecret = (): string => randomBytes(32).toString('hex')
