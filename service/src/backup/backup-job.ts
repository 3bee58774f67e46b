import { spawn, type ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Leadership } from '../background/leadership.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { LeaseStore } from '../storage/storage.ts'
import type { ReportedBackup, ScheduledBackupState } from './scheduled-backup-state.ts'

type BackupJobOptions = {
  leases: LeaseStore
  log: Logger
  dataFolder: string
  settingsFile: string | undefined
  /** The environment of the process, with the settings of the storage. */
  variables: Readonly<Record<string, string | undefined>>
  to: string
  everyHours: number
  keep: number
  now(): number
}

const PROGRAM = fileURLToPath(new URL('../../bin/plumbline.js', import.meta.url))

const HOUR = 3_600_000

/** The pause after a failure. */
const RETRY_MILLISECONDS = 600_000

/** A process that reads a dead file system cannot be ended: a stop does not wait for it. */
const ENDING_MILLISECONDS = 3_000

/** Makes backups when they are due, one instance at a time, in processes of their own. */
export class BackupJob {
  readonly #options: BackupJobOptions
  #last: ReportedBackup | undefined
  #failure: string | undefined
  #failures = 0
  #nextAt = -Infinity

  constructor(options: BackupJobOptions) {
    this.#options = options
  }

  get state(): ScheduledBackupState {
    const { to, everyHours } = this.#options
    const [last, failure, failures] = [this.#last, this.#failure, this.#failures]
    return { to, everyHours, last, failure, failures }
  }

  /** Makes a backup if one is due, unless another instance is doing so. */
  async run(stop: AbortSignal): Promise<void> {
    const { leases, now } = this.#options
    if (now() < this.#nextAt) return
    const leadership = new Leadership({ name: 'backup', leases, now })
    await leadership.run((signal) => this.#make(signal), stop)
  }

  async #make(signal: AbortSignal): Promise<void> {
    const { log, now, everyHours } = this.#options
    try {
      const { isNew, ...last } = await this.#runCommand(signal)
      this.#last = last
      this.#failure = undefined
      this.#nextAt = Date.parse(last.instant) + everyHours * HOUR
      if (isNew) log.info(last, 'A backup was made.')
    } catch (error) {
      signal.throwIfAborted()
      this.#failures++
      this.#failure = error instanceof Error ? error.message : String(error)
      this.#nextAt = now() + Math.min(RETRY_MILLISECONDS, (everyHours * HOUR) / 2)
      throw error
    }
  }

  /** Runs `plumbline backup`, which makes none where another instance has made one. */
  async #runCommand(signal: AbortSignal): Promise<ReportedBackup & { isNew: boolean }> {
    const { dataFolder, settingsFile, variables, to, everyHours, keep } = this.#options
    const settings = settingsFile === undefined ? [] : ['--config', settingsFile]
    const flags = ['--every', String(everyHours), '--keep', String(keep), '--json']
    const args = [PROGRAM, 'backup', to, '--data', dataFolder, ...settings, ...flags]
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: variables,
    })
    const ended = Promise.withResolvers<number | null>()
    child.once('error', ended.reject)
    child.once('close', ended.resolve)
    const end = (): void => void endProcess(child).then(() => ended.resolve(null))
    signal.addEventListener('abort', end)
    try {
      const output = Promise.all([text(child.stdout), text(child.stderr)])
      output.catch(() => undefined)
      const code = await ended.promise
      signal.throwIfAborted()
      const [stdout, stderr] = await output
      if (code !== 0) throw new RefusedError('unavailable', sentenceOf(stderr, code))
      return JSON.parse(stdout)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await sleep(ENDING_MILLISECONDS)
  child.kill('SIGKILL')
  child.unref()
}

/** What a command has said of its failure, without its security events. */
function sentenceOf(stderr: string, code: number | null): string {
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  return lines.join(' ') || `the command ended with ${code}`
}
