import { Agent } from 'node:https'
import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { evaluateDue } from '../../src/alarms/evaluate-early-records.ts'
import { OfflineDetection } from '../../src/alarms/offline-job.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { Commits } from '../../src/commit/commits.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import type { HttpResponse, TestService } from '../_service.ts'
import type { Action } from './_actions.ts'
import type { Sent } from '../properties/_requests.ts'
import { SITES } from './_site.ts'

/** What a service, or a command beside it, has answered. */
export type Answer = { status: number; headers: string; text: string; bytes: Buffer }

/** A service on one engine, with the commands and jobs that work on its data. */
export class Twin implements AsyncDisposable {
  readonly service: TestService
  readonly storageUrl: string | undefined
  readonly #storageFlags: readonly string[]
  readonly #commits: Commits
  readonly #offline: OfflineDetection
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(service: TestService, storageUrl?: string) {
    const { storage } = service
    this.service = service
    this.storageUrl = storageUrl
    this.#storageFlags = storageUrl === undefined ? [] : ['--storage', storageUrl]
    this.#commits = Commits.open({ storage, now: Date.now })
    this.#offline = new OfflineDetection({
      commits: this.#commits,
      storage,
      catalogue: openCatalogue(storage.site),
      log: pino({ level: 'silent' }),
      everyMilliseconds: 0,
      isSuspended: () => false,
      now: Date.now,
    })
  }

  /** Sends a request. */
  async send({ path, call }: Sent): Promise<Answer> {
    return toAnswer(await this.service.call(path, { ...call, agent: this.#agent }))
  }

  /** Does what is not a request, and returns what a command prints. */
  async act(action: Action): Promise<Answer> {
    switch (action.do) {
      case 'send':
        return this.send(action)
      case 'command':
        return this.#run(action.args)
      case 'import':
        return this.#import(action)
      case 'apply': {
        const file = await this.#write('site.yaml', SITES[action.site % SITES.length] ?? '')
        return this.#run(['site', 'apply', file, '--yes'])
      }
      case 'undo': {
        const changes = await this.service.storage.changes.list()
        const change = changes.filter(({ undoneAt }) => undoneAt === null).at(-1 - action.back)
        return this.#run(['undo', String(change?.id ?? 1), ...action.flags])
      }
      case 'evaluate':
        return this.#evaluate()
    }
  }

  async #import({ csv, mapping, flags }: Action & { do: 'import' }): Promise<Answer> {
    const [data, map] = [
      await this.#write('logger.csv', csv),
      await this.#write('map.yaml', mapping),
    ]
    return this.#run(['import', data, '--mapping', map, ...flags])
  }

  /** What the jobs of the service do from time to time. */
  async #evaluate(): Promise<Answer> {
    const { storage } = this.service
    await this.#offline.run()
    const catalogue = await openCatalogue(storage.site)()
    const count = await evaluateDue({ commits: this.#commits, storage, catalogue })
    return printed(0, `${count} early records`)
  }

  async #write(name: string, text: string): Promise<string> {
    const file = join(this.service.folder, name)
    await writeFile(file, text)
    return file
  }

  async #run(args: readonly string[]): Promise<Answer> {
    const lines: string[] = []
    const flags = ['--data', this.service.folder, ...this.#storageFlags]
    const code = await runCommandLine([...args, ...flags], {
      signal: new AbortController().signal,
      print: (line) => void lines.push(line),
      // What a server is told that may lose records, as that of the tests.
      printError: (line) => void (line.startsWith('The database: ') || lines.push(line)),
      output: new Writable({
        write(chunk: Buffer, _encoding, done) {
          lines.push(chunk.toString())
          done()
        },
      }),
    })
    const text = lines.join('\n').replaceAll(this.service.folder, 'FOLDER')
    return printed(code, text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await this.#offline[Symbol.asyncDispose]()
    await this.service[Symbol.asyncDispose]()
  }
}

const printed = (status: number, text: string): Answer => ({
  status,
  headers: '',
  text,
  bytes: Buffer.from(text),
})

/**
 * Without the date of the response; issued tokens are chance. Compressed bytes are compared unpacked: the
 * engines read pages of other lengths, which are compressed one by one.
 */
function toAnswer({ status, headers, text, bytes: sent }: HttpResponse): Answer {
  const { date: _date, 'content-length': length, ...rest } = headers
  const isPacked = headers['content-encoding'] === 'gzip'
  const others = isPacked || length === undefined ? rest : { ...rest, 'content-length': length }
  const bytes = isPacked ? Buffer.from(text) : sent
  const isToken = bytes.length < 200 && text.startsWith('{"token":"')
  return {
    status,
    ...(isToken ? printed(status, text.replace(UUID, 'TOKEN')) : { text, bytes }),
    headers: JSON.stringify(others),
  }
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
