import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applySite } from '../../src/site/apply/apply.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { startChild, type Child } from '../_child.ts'
import { newDatabase } from '../_postgres.ts'
import { callHttps, type Call, type HttpResponse } from '../_service.ts'

/** Processes that serve one database, each with a data folder of its own. */
export class Instances implements AsyncDisposable {
  readonly url: string
  /** The storage beside the instances, as a command has it. */
  readonly storage: Storage
  readonly #stack: AsyncDisposableStack

  private constructor(parts: { url: string; storage: Storage; stack: AsyncDisposableStack }) {
    this.url = parts.url
    this.storage = parts.storage
    this.#stack = parts.stack
  }

  static async open(site: string): Promise<Instances> {
    await using stack = new AsyncDisposableStack()
    const { url } = stack.use(await newDatabase())
    const storage = stack.use(
      await openPostgres(url, { poolSize: 10, statementTimeoutSeconds: 60 }),
    )
    await applySite(storage, { text: site, fileName: 'site.yaml' })
    return new Instances({ url, storage, stack: stack.move() })
  }

  /** Starts an instance with a new data folder, or with one that an instance has left. */
  async start(environment: Record<string, string> = {}, given?: string): Promise<Instance> {
    const folder = given ?? (await this.#makeFolder())
    const child = await startChild(folder, { PLUMBLINE_STORAGE: this.url, ...environment })
    return Object.assign(this.#stack.use(child), { folder })
  }

  async #makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-instance-'))
    this.#stack.defer(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

export type Instance = Child & { folder: string }

/** Sends one request to an instance. */
export const call = (
  { origin, certificate }: Child,
  path: string,
  options: Call = {},
): Promise<HttpResponse> => callHttps(`${origin}${path}`, certificate, options)

/** Sends a form with the credentials of an application. */
export const postForm = (
  instance: Child,
  path: string,
  { appId, appSecret }: { appId: string; appSecret: string },
  form: Record<string, string>,
): Promise<HttpResponse> =>
  call(instance, `/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  })
