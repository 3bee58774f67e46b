import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Sqlite from 'better-sqlite3'
import { callHttps } from '../_service.ts'
import type { Answer, Fixture } from './_fixture.ts'

const READY = /^listening on (https:\/\/\S+)$/

type Call = { status: number; json: any }

/** The program of a checkout over one data folder. */
export class Program {
  readonly #file: string
  readonly #data: string

  constructor(file: string, data: string) {
    this.#file = file
    this.#data = data
  }

  async run(...args: string[]): Promise<string> {
    const child = this.#start(args)
    const chunks: { stdout: string; stderr: string } = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (chunks[name] += text))
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`plumbline ${args.join(' ')}: ${chunks.stderr}`)
    return chunks.stdout
  }

  async json(...args: string[]): Promise<any> {
    return JSON.parse(await this.run(...args, '--json'))
  }

  async serve(application: Fixture['application'], key: string): Promise<RunningService> {
    const child = this.#start(['serve', '--host', '127.0.0.1', '--port', '0'])
    child.stderr.resume()
    const stop = async () => {
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await ended
    }
    for await (const line of createInterface({ input: child.stdout })) {
      const origin = READY.exec(line)?.[1]
      if (origin === undefined) continue
      child.stdout.resume()
      const certificate = readFileSync(join(this.#data, 'tls', 'certificate.pem'), 'utf8')
      const service = new RunningService({ origin, certificate, key, stop })
      await service.logIn(application)
      return service
    }
    throw new Error('the service did not start')
  }

  databaseVersion(): number {
    const database = new Sqlite(join(this.#data, 'plumbline.db'), { readonly: true })
    const version = Number(database.pragma('user_version', { simple: true }))
    database.close()
    return version
  }

  #start(args: readonly string[]) {
    return spawn(process.execPath, [this.#file, ...args, '--data', this.#data], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PLUMBLINE_OPS_PORT: '0', PLUMBLINE_SEAL_EVERY_MINUTES: '0' },
    })
  }
}

type RunningParts = {
  origin: string
  certificate: string
  key: string
  stop: () => Promise<void>
}

/** A service of that program, in the name of an application and an ingest key. */
export class RunningService implements AsyncDisposable {
  readonly #parts: RunningParts
  token = ''

  constructor(parts: RunningParts) {
    this.#parts = parts
  }

  async logIn({ appId, appSecret }: Fixture['application']): Promise<void> {
    const basic = Buffer.from(`${appId}:${appSecret}`).toString('base64')
    const { origin, certificate } = this.#parts
    const response = await callHttps(`${origin}/api/v1/oauth2/token`, certificate, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    this.token = response.json<{ token: string }>().token
  }

  async call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    secret = this.token,
  ): Promise<Call> {
    const { origin, certificate } = this.#parts
    const response = await callHttps(`${origin}${path}`, certificate, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { status: response.status, json: response.text === '' ? undefined : response.json() }
  }

  async answer(request: Pick<Answer, 'method' | 'path' | 'body'>): Promise<Answer> {
    const { status, json } = await this.call(request.method, request.path, request.body)
    return { ...request, status, answer: json }
  }

  async store(endpoint: string, body: unknown, { mayBeUnknown = false } = {}): Promise<void> {
    const { key } = this.#parts
    const { status, json } = await this.call('POST', `/ingest/v1/${endpoint}`, body, key)
    if ((status !== 200 || json.rejected.length > 0) && !mayBeUnknown)
      throw new Error(`${endpoint}: ${status} ${JSON.stringify(json).slice(0, 500)}`)
  }

  /** Some of its lines are to be rejected. */
  async influx(lines: string): Promise<void> {
    const { origin, certificate, key } = this.#parts
    const { status, text } = await callHttps(
      `${origin}/ingest/v1/influx?precision=ms`,
      certificate,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
        body: lines,
      },
    )
    if (status !== 200) throw new Error(`influx: ${status} ${text}`)
  }

  async manage(path: string, body: unknown, { mayBeUnknown = false } = {}): Promise<any> {
    const { status, json } = await this.call('POST', `/manage/v1${path}`, body)
    if (status >= 300 && !(mayBeUnknown && status === 404))
      throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    return json
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.stop()
  }
}
