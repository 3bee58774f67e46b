import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { PROGRAM } from '../_program.ts'
import { inDatabase } from '../_sealed.ts'

/** The service leaves sealing to the command beside it. */
export const BY_HAND = { PLUMBLINE_SEAL_EVERY_MINUTES: '0' }

/** `plumbline seal`, again and again, in processes of their own. */
export class SealingLoop {
  readonly #ended: Promise<void>
  readonly #once = Promise.withResolvers<void>()
  #isStopped = false
  #process: ChildProcess | undefined

  constructor(folder: string, environment: Record<string, string> = {}) {
    this.#ended = this.#run(folder, environment)
  }

  /** Resolves when the command has ended by itself for the first time. */
  get hasSealed(): Promise<void> {
    return this.#once.promise
  }

  /** Ends it at once, as a power cut would. */
  async kill(): Promise<void> {
    this.#isStopped = true
    this.#process?.kill('SIGKILL')
    await this.#ended
  }

  async #run(folder: string, environment: Record<string, string>): Promise<void> {
    while (!this.#isStopped) {
      this.#process = begin('seal', folder, environment)
      const said = collect(this.#process)
      const [code] = (await once(this.#process, 'close')) as [number | null]
      if (!this.#isStopped) assert.equal(code, 0, said.text)
      this.#once.resolve()
    }
  }
}

/** Runs `plumbline doctor`; its code and all it says. */
export async function runDoctor(folder: string): Promise<{ code: number | null; text: string }> {
  const child = begin('doctor', folder, {})
  const said = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text: said.text }
}

/** How many records are sealed. */
export const countSealed = (folder: string): number =>
  inDatabase(folder, (database) =>
    database.prepare('select coalesce(sum(count), 0) from theme_sealed_parts').pluck().get(),
  ) as number

function begin(command: string, folder: string, environment: Record<string, string>) {
  return spawn(process.execPath, [PROGRAM, command, '--data', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
}

function collect(child: ChildProcess): { text: string } {
  const said = { text: '' }
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (said.text += chunk.toString()))
  return said
}
