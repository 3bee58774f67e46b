import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { needCommand } from '../_debian.ts'
import { freePort } from '../_service.ts'

export type MosquittoOptions = {
  /** More lines of its configuration. */
  lines?: readonly string[]
}

/** It writes down every change: what a kill takes is what it was just about to write. Slow. */
export const WRITES_AT_ONCE = ['autosave_interval 1', 'autosave_on_changes true']

/** Debian's Mosquitto on a loopback port of its own, with its memory on disk. */
export class Mosquitto implements AsyncDisposable {
  readonly port: number
  readonly folder: string
  #process: ChildProcess | undefined

  private constructor(port: number, folder: string) {
    this.port = port
    this.folder = folder
  }

  static async start({ lines = [] }: MosquittoOptions = {}): Promise<Mosquitto> {
    await needCommand('mosquitto', 'mosquitto')
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-mosquitto-'))
    const broker = new Mosquitto(await freePort(), folder)
    const settings = [
      'user root',
      `listener ${broker.port} 127.0.0.1`,
      'allow_anonymous true',
      'persistence true',
      `persistence_location ${folder}/`,
      'max_queued_messages 0',
      'max_inflight_messages 200',
      ...lines,
    ]
    await writeFile(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`)
    await broker.restart()
    return broker
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.#process!.pid!
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Starts it again over the same memory. */
  async restart(): Promise<void> {
    await this.#end('SIGTERM')
    const started = spawn('mosquitto', ['-c', join(this.folder, 'mosquitto.conf')], {
      stdio: 'ignore',
    })
    this.#process = started
    const endWithUs = () => started.kill('SIGKILL')
    process.once('exit', endWithUs)
    started.once('exit', () => process.off('exit', endWithUs))
    while (!(await responses(this.port))) {
      if (started.exitCode !== null) throw new Error('mosquitto does not start')
      await wait(20)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGKILL')
    await rm(this.folder, { recursive: true, force: true })
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const running = this.#process
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const exit = once(running, 'exit')
    running.kill(signal)
    await exit
  }
}

const responses = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
