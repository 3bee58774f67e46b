import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashSecret } from '../../src/domain/access/secret.ts'
import type { Secrets } from '../properties/_requests.ts'
import { withService, type TestService } from '../_service.ts'
import { SITES } from './_site.ts'
import { Twin } from './_twin.ts'

const SECRET = 'of both engines'

/** The same for both: chance would make their answers differ. */
export const SECRETS: Secrets = {
  token: '3f1d7a52-6f1e-4d3c-9a55-0b6a4c1d2e90',
  spareToken: '3f1d7a52-6f1e-4d3c-9a55-0b6a4c1d2e91',
  key: 'plk_test_both',
  cookie: `__Host-plumbline=${'c'.repeat(43)}`,
  spareCookie: `__Host-plumbline=${'d'.repeat(43)}`,
  basic: Buffer.from(`both:${SECRET}`).toString('base64'),
}

/** Jobs run when an action says so, and addresses do not name the port. */
const SETTINGS = {
  'http.publicUrl': 'https://plumbline.example',
  'seal.everyMinutes': 0,
  'retention.everyMinutes': 0,
  'alarms.offlineCheckSeconds': 0,
  'tokens.failuresPerMinute': 1_000_000,
  'access.failuresPerMinute': 1_000_000,
} as const

/** An empty database of its own. */
export type TwinDatabase = AsyncDisposable & Readonly<{ url: string }>

/** Two services with the same site, secrets and clock: one on SQLite, the other on PostgreSQL. */
export class Twins implements AsyncDisposable {
  readonly sqlite: Twin
  readonly postgres: Twin
  readonly #stack: AsyncDisposableStack

  private constructor(sqlite: Twin, postgres: Twin, stack: AsyncDisposableStack) {
    this.sqlite = sqlite
    this.postgres = postgres
    this.#stack = stack
  }

  static async open(newDatabase: () => Promise<TwinDatabase>): Promise<Twins> {
    await using stack = new AsyncDisposableStack()
    const database = stack.use(await newDatabase())
    const sqlite = stack.use(new Twin(await start()))
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-engines-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    // Addresses of cameras are signed with them.
    await cp(join(sqlite.service.folder, 'secrets'), join(folder, 'secrets'), { recursive: true })
    const service = await start({ folder, storageUrl: database.url })
    const postgres = stack.use(new Twin(service, database.url))
    return new Twins(sqlite, postgres, stack.move())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

async function start(place: { folder?: string; storageUrl?: string } = {}): Promise<TestService> {
  const service = await startTwin({ ...place, site: SITES[0] })
  await addSecrets(service)
  return service
}

/** Starts a service as it is for both; on a folder with data without a site. */
export const startTwin = (place: {
  site?: string
  folder?: string
  storageUrl?: string
}): Promise<TestService> =>
  withService({
    ...place,
    settings: SETTINGS,
    now: Date.now,
    expireChangesMilliseconds: 0,
    earlyRecordsMilliseconds: 0,
    expireTokensMilliseconds: 0,
  })

/** Gives a service the application, the tokens and the key of both. */
export async function addSecrets({ storage }: TestService): Promise<void> {
  const application = { id: 'both', userId: 1, name: '两个', scope: 'admin', createdAt: 0 } as const
  await storage.applications.add(application, hashSecret(SECRET))
  await storage.ingestKeys.add('both', hashSecret(SECRETS.key), 0)
  const anna = { name: 'anna', displayName: 'Anna', role: 'viewer', userId: 1 } as const
  const id = (await storage.accounts.add({ ...anna, createdAt: 0 })) ?? 0
  await storage.accounts.setPassword(id, 'phc', 0)
  const checked = { id, password: 'phc', isTotpConfirmed: false }
  for (const cookie of [SECRETS.cookie, SECRETS.spareCookie]) {
    const [, secret = ''] = cookie.split('=')
    await storage.sessions.add({ hash: hashSecret(secret), checked, createdAt: Date.now() })
  }
  for (const token of [SECRETS.token, SECRETS.spareToken])
    await storage.tokens.add({
      hash: hashSecret(token),
      applicationId: 'both',
      issuedAt: 0,
      expiresAt: Date.UTC(2100, 0),
    })
}
