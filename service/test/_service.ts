import { rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request, type Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { AppScope } from '@plumbline/contract'
import { pino } from 'pino'
import { createApplication, type Credentials } from '../src/site/applications.ts'
import { resolveConfig, type UncheckedSettings } from '../src/config/config.ts'
import type { KeyTargets } from '../src/domain/access/key-targets.ts'
import { hashSecret } from '../src/domain/access/secret.ts'
import { ensureCertificate, type CertificateFiles } from '../src/http/security/certificate.ts'
import type { ContinuousCopyState } from '../src/backup/continuous/copy-state.ts'
import { startService, type Service } from '../src/service.ts'
import { applySite } from '../src/site/apply/apply.ts'
import type { Migration } from '../src/storage/migration.ts'
import { openPostgres } from '../src/storage/postgres/open.ts'
import { openSqlite } from '../src/storage/sqlite/open.ts'
import type { Storage } from '../src/storage/storage.ts'
import { assertKeepsContract, findOperation } from './_contract.ts'

export { freePort } from './_free-port.ts'

export type HttpResponse = {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as text, decompressed. */
  text: string
  bytes: Buffer
  json<Body = any>(): Body
}

export type Call = {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array | undefined
  /** The address to call from; on Linux any of 127.0.0.0/8. */
  localAddress?: string | undefined
  /** Keeps connections; without it the call has a connection of its own. */
  agent?: Agent | undefined
}

/** A service on its own port and folder, with methods that send requests to it. */
export class TestService implements AsyncDisposable {
  readonly folder: string
  readonly storage: Storage
  readonly service: Service
  readonly certificate: string
  readonly logged: string[]
  readonly #stack: AsyncDisposableStack

  constructor(parts: {
    folder: string
    storage: Storage
    service: Service
    certificate: string
    logged: string[]
    stack: AsyncDisposableStack
  }) {
    this.folder = parts.folder
    this.storage = parts.storage
    this.service = parts.service
    this.certificate = parts.certificate
    this.logged = parts.logged
    this.#stack = parts.stack
  }

  /**
   * Sends one request to a path below the origin, over HTTPS, checking the certificate.
   *
   * Every successful response is compared with the contract.
   */
  async call(path: string, call: Call = {}): Promise<HttpResponse> {
    const answer = await callHttps(`${this.service.origin}${path}`, this.certificate, call)
    const operation = findOperation(call.method ?? 'GET', path)
    if (operation !== undefined) assertKeepsContract(operation, answer)
    return answer
  }

  /** Gets a path of the interface with a token in the query, as the clients in the field do. */
  async get(
    path: string,
    token: string,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> {
    const joint = path.includes('?') ? '&' : '?'
    return this.call(`/api/v1${path}${joint}token=${token}`, { headers })
  }

  /** Posts JSON to a path of the interface. */
  async post(path: string, token: string, body?: unknown): Promise<HttpResponse> {
    const joint = path.includes('?') ? '&' : '?'
    return this.call(`/api/v1${path}${joint}token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  /** Sends records with an ingest key. */
  async ingest(endpoint: string, key: string, body: unknown): Promise<HttpResponse> {
    return this.call(`/ingest/v1/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    })
  }

  /** Makes an application for a user and issues a token to it over HTTP. */
  async issueToken(userId = 1, scope: AppScope = 'admin'): Promise<string> {
    const application = await this.createApplication(userId, scope)
    const answer = await this.postForm('/oauth2/token', application, {
      grant_type: 'client_credentials',
    })
    return answer.json<{ token: string }>().token
  }

  createApplication(userId = 1, scope: AppScope = 'admin'): Promise<Credentials> {
    return createApplication(this.storage, { userId, name: 'test', scope })
  }

  postForm(
    path: string,
    { appId, appSecret }: Credentials,
    form: Record<string, string>,
  ): Promise<HttpResponse> {
    return this.call(`/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      },
      body: new URLSearchParams(form).toString(),
    })
  }

  async createKey(name = 'test', targets?: KeyTargets): Promise<string> {
    const key = `plk_test_${name}`
    await this.storage.ingestKeys.add(name, hashSecret(key), Date.now(), targets)
    return key
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

/**
 * Starts a service with a site; `settings` are those of `plumbline.yaml`.
 *
 * With a `folder` it works on that one and leaves it, as a service that is started again does. With a
 * `storageUrl` it stores in that database of PostgreSQL.
 */
export async function withService({
  site,
  settings = {},
  now,
  folder: given,
  storageUrl,
  migrations,
  certificateCheckMilliseconds,
  firstSealingMilliseconds,
  firstRetentionMilliseconds,
  expireChangesMilliseconds,
  backupMilliseconds,
  continuousCopy,
  clockMilliseconds,
  monotonic,
  deliveryPollMilliseconds,
  earlyRecordsMilliseconds,
  expireTokensMilliseconds,
  expirePositionsMilliseconds,
}: {
  site?: string
  settings?: UncheckedSettings
  now?: () => number
  folder?: string
  storageUrl?: string
  /** The migrations that the program knows, with a `storageUrl`. */
  migrations?: readonly Migration[]
  certificateCheckMilliseconds?: number
  firstSealingMilliseconds?: number
  firstRetentionMilliseconds?: number
  expireChangesMilliseconds?: number
  backupMilliseconds?: number
  continuousCopy?: () => ContinuousCopyState
  clockMilliseconds?: number
  monotonic?: () => number
  deliveryPollMilliseconds?: number
  earlyRecordsMilliseconds?: number
  expireTokensMilliseconds?: number
  expirePositionsMilliseconds?: number
} = {}): Promise<TestService> {
  await using stack = new AsyncDisposableStack()
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'plumbline-')))
  if (given === undefined) stack.defer(() => rm(folder, { recursive: true, force: true }))
  const storage = stack.use(
    storageUrl === undefined
      ? await openSqlite(folder)
      : await openPostgres(storageUrl, {
          poolSize: 10,
          statementTimeoutSeconds: 60,
          isServed: true,
          ...(migrations === undefined ? {} : { migrations }),
        }),
  )
  if (site !== undefined) await applySite(storage, { text: site, fileName: 'site.yaml' })

  const files = await (certificateOfTests ??= makeCertificate())
  const config = resolveConfig({
    flags: {
      'http.host': '127.0.0.1',
      'http.port': 0,
      'ops.port': 0,
      'http.certificate': files.certificate,
      'http.key': files.key,
      'log.level': 'debug',
      ...settings,
    },
    environment: {},
  })
  const logged: string[] = []
  const log = pino({ level: config['log.level'] }, { write: (line) => void logged.push(line) })
  const service = stack.use(
    await startService({
      config,
      dataFolder: folder,
      storage,
      log,
      ...(now ? { now } : {}),
      firstSealingMilliseconds,
      firstRetentionMilliseconds,
      expireChangesMilliseconds,
      backupMilliseconds,
      continuousCopy,
      clockMilliseconds,
      monotonic,
      deliveryPollMilliseconds,
      earlyRecordsMilliseconds,
      expireTokensMilliseconds,
      expirePositionsMilliseconds,
      ...(certificateCheckMilliseconds ? { certificateCheckMilliseconds } : {}),
    }),
  )
  const certificate = await readFile(service.certificateFile, 'utf8')
  return new TestService({ folder, storage, service, certificate, logged, stack: stack.move() })
}

/** One certificate for all services of a test file: making one takes longer than a test. */
let certificateOfTests: Promise<CertificateFiles> | undefined

async function makeCertificate(): Promise<CertificateFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-tls-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return ensureCertificate(folder, undefined, Date.now())
}

export function callHttps(
  url: string,
  certificate: string,
  { method = 'GET', headers = {}, body, localAddress, agent }: Call,
): Promise<HttpResponse> {
  const options = { method, headers, ca: certificate, agent: agent ?? false, localAddress }
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        try {
          resolve(readResponse(response, bytes))
        } catch (error) {
          reject(error as Error)
        }
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function readResponse({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): HttpResponse {
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
  return { status: statusCode, headers, text, bytes, json: () => JSON.parse(text) }
}
