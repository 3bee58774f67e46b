import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { PROGRAM } from '../_program.ts'
import { SITE } from '../_site.ts'
import { callHttps, type HttpResponse, type Call } from '../_service.ts'

export type Result = { code: number | null; stdout: string; stderr: string }

/** What a command complained of, without its security events. */
export const wordsOf = ({ stderr }: Pick<Result, 'stderr'>): string =>
  stderr.replaceAll(/^\{.*"event":"security\..*\n/gm, '')

/** A folder of its own to work in, with what is started there; all of it goes at the end. */
export class Workplace implements AsyncDisposable {
  readonly folder: string
  readonly #children = new Set<ChildProcess>()

  constructor(folder: string) {
    this.folder = folder
  }

  /**
   * Runs a command to its end, in this process: what it prints, and the code it would end with. With an
   * answer it has a terminal, on which a person gives it.
   */
  async run(
    args: readonly string[],
    { answer, signal = NEVER }: { answer?: string; signal?: AbortSignal } = {},
  ): Promise<Result> {
    assert.notEqual(args[0], 'serve', 'a service is a process of its own')
    const lines = { stdout: [] as string[], stderr: [] as string[] }
    using _folder = workIn(this.folder)
    const code = await runCommandLine(args, {
      signal,
      ...(answer === undefined ? {} : { ask: () => Promise.resolve(answer) }),
      print: (line) => void lines.stdout.push(`${line}\n`),
      printError: (line) => void lines.stderr.push(`${line}\n`),
      output: new Writable({
        write(chunk: Buffer, _encoding, done) {
          lines.stdout.push(chunk.toString())
          done()
        },
      }),
    })
    return { code, stdout: lines.stdout.join(''), stderr: lines.stderr.join('') }
  }

  /** Runs a command to its end in a process of its own. */
  async runProcess(
    args: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<Result> {
    const child = this.#start(args, environment)
    const output = collect(child)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, ...output }
  }

  /** Runs a command that the test may interrupt or kill. */
  begin(
    args: readonly string[],
    environment: Record<string, string> = {},
  ): {
    ended: Promise<Result>
    pid: number
    /** Resolves when stderr has a text. */
    printed(text: RegExp): Promise<void>
    interrupt(): void
    kill(): void
  } {
    const child = this.#start(args, environment)
    const output = collect(child)
    const ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      ...output,
    }))
    return {
      ended,
      pid: child.pid!,
      async printed(text) {
        while (!text.test(output.stderr)) await once(child.stderr!, 'data')
      },
      interrupt: () => void child.kill('SIGINT'),
      kill: () => void child.kill('SIGKILL'),
    }
  }

  /** Runs a command that must succeed, and reads its output as JSON. */
  async json<Output = any>(...args: string[]): Promise<Output> {
    const { code, stdout, stderr } = await this.run([...args, '--json'])
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Output
  }

  /** Starts the service and waits for its line. */
  async serve(args: readonly string[] = [], environment: Record<string, string> = {}) {
    const child = this.#start(['serve', '--host', '127.0.0.1', ...args], {
      PLUMBLINE_OPS_PORT: '0',
      ...environment,
    })
    const output = collect(child)
    const ended = once(child, 'close') as Promise<[number | null, string | null]>
    const listening = Promise.withResolvers<string>()
    child.stdout!.on('data', () => {
      const [, origin] = /^listening on (https:\/\/\S+)$/m.exec(output.stdout) ?? []
      if (origin !== undefined) listening.resolve(origin)
    })
    void ended.then(([code]) => listening.reject(new Error(`ended ${code}: ${output.stderr}`)))
    return new Served({ child, output, ended, origin: await listening.promise, place: this })
  }

  #start(args: readonly string[], environment: Record<string, string>): ChildProcess {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PLUMBLINE_'))
    const child = spawn(process.execPath, [environment['TEST_PROGRAM'] ?? PROGRAM, ...args], {
      cwd: this.folder,
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    child.on('close', () => this.#children.delete(child))
    return child
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      Array.from(this.#children, async (child) => {
        const ended = once(child, 'close')
        child.kill('SIGKILL')
        await ended
      }),
    )
    await rm(this.folder, { recursive: true, force: true })
  }
}

const NEVER = new AbortController().signal

let inUse: { folder: string; commands: number; before: string } | undefined

/** Commands take names of files from the folder they run in, and a process has one of these. */
function workIn(folder: string): Disposable {
  inUse ??= { folder, commands: 0, before: process.cwd() }
  assert.equal(inUse.folder, folder, 'commands that run at once run in one folder')
  if (inUse.commands++ === 0) process.chdir(folder)
  return {
    [Symbol.dispose]() {
      if (inUse === undefined || --inUse.commands > 0) return
      process.chdir(inUse.before)
      inUse = undefined
    },
  }
}

export async function workplace(): Promise<Workplace> {
  return new Workplace(await mkdtemp(join(tmpdir(), 'plumbline-cli-')))
}

type ServedParts = {
  child: ChildProcess
  output: { stdout: string; stderr: string }
  ended: Promise<[number | null, string | null]>
  origin: string
  place: Workplace
}

/** A service that runs as a process. */
export class Served {
  readonly origin: string
  readonly output: { stdout: string; stderr: string }
  readonly pid: number
  readonly #parts: ServedParts

  constructor(parts: ServedParts) {
    this.#parts = parts
    this.origin = parts.origin
    this.output = parts.output
    this.pid = parts.child.pid!
  }

  async call(path: string, call: Call = {}): Promise<HttpResponse> {
    const file = join(this.#parts.place.folder, 'data', 'tls', 'certificate.pem')
    return callHttps(`${this.origin}${path}`, await readFile(file, 'utf8'), call)
  }

  async issueToken({
    appId,
    appSecret,
  }: {
    appId: string
    appSecret: string
  }): Promise<HttpResponse> {
    return this.call('/api/v1/oauth2/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
  }

  /** Tells it to stop; the code and the signal it ended by. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<[number | null, string | null]> {
    this.#parts.child.kill(signal)
    return this.#parts.ended
  }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  return output
}

/** Applies the site to the folder of a workplace and stores what a test needs there. */
export async function fill<Result>(
  place: Workplace,
  store: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  await using storage = await openSqlite(join(place.folder, 'data'))
  await applySite(storage, { text: SITE, fileName: 'site.yaml' })
  return await store(storage)
}
