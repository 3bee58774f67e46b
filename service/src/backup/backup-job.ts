import { spawn, type ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { FailureLog } from '../background/failure-log.ts'
import { Leadership } from '../background/leadership.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { toError } from '../errors/thrown.ts'
import type { LeaseStore } from '../storage/storage.ts'
import type { ReportedBackup, ReportedRun, ScheduledBackupState } from './scheduled-backup-state.ts'
import type { Verification } from './verification.ts'

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
  /** Days between two verifications of what is stored; 0: never. */
  verifyEveryDays: number
  now(): number
}

const PROGRAM = fileURLToPath(new URL('../../bin/plumbline.js', import.meta.url))

const HOUR = 3_600_000
const DAY = 24 * HOUR

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
  #verification: Verification | undefined
  readonly #failureLog: FailureLog
  #nextAt = -Infinity

  constructor(options: BackupJobOptions) {
    this.#options = options
    const { log } = options
    this.#failureLog = new FailureLog({
      warn: (sentence) => log.warn(sentence),
      inform: (sentence) => log.info(sentence),
    })
  }

  get state(): ScheduledBackupState {
    const { to, everyHours } = this.#options
    const [last, failure, failures] = [this.#last, this.#failure, this.#failures]
    return { to, everyHours, last, failure, failures, verification: this.#verification }
  }

  /** Makes a backup if one is due, unless another instance is doing so. */
  async run(stop: AbortSignal): Promise<void> {
    const { leases, now, everyHours } = this.#options
    const left = this.#nextAt - now()
    // More than an interval is left after a clock that was ahead.
    if (left > 0 && left <= everyHours * HOUR) return
    const leadership = new Leadership({ name: 'backup', leases, now })
    await leadership.run((signal) => this.#make(signal), stop)
  }

  async #make(signal: AbortSignal): Promise<void> {
    try {
      this.#note(await this.#runCommand(signal))
    } catch (error) {
      signal.throwIfAborted()
      this.#failures++
      this.#failure = toError(error).message
      const pause = Math.min(RETRY_MILLISECONDS, (this.#options.everyHours * HOUR) / 2)
      this.#nextAt = this.#options.now() + pause
      this.#failureLog.fail(describeFailure('Backup', error, pause))
    }
  }

  #note({ isNew, damage, verification, ...last }: ReportedRun): void {
    const { log, now, everyHours, verifyEveryDays } = this.#options
    this.#last = last
    this.#failure = undefined
    this.#verification = verification ?? undefined
    const verifiedAt = verification === null ? Infinity : Date.parse(verification.at)
    // Where the verification could not be noted, the one before is reported.
    const soonest = now() + RETRY_MILLISECONDS
    this.#nextAt = Math.min(
      Date.parse(last.instant) + everyHours * HOUR,
      verifyEveryDays === 0 ? Infinity : Math.max(verifiedAt + verifyEveryDays * DAY, soonest),
    )
    if (isNew) log.info(last, 'A backup was made.')
    if (damage.length === 0) return this.#failureLog.succeed('Backup succeeded again.')
    this.#failures++
    log.error(
      `What earlier backups have stored is damaged: ${damage.join(' ')} Look at the disk of ${this.#options.to}.`,
    )
  }

  /** Runs `plumbline backup`, which makes none where another instance has made one. */
  async #runCommand(signal: AbortSignal): Promise<ReportedRun> {
    const { dataFolder, settingsFile, variables, to, everyHours, keep, log } = this.#options
    const { verifyEveryDays } = this.#options
    const settings = settingsFile === undefined ? [] : ['--config', settingsFile]
    const flags = ['--every', String(everyHours), '--keep', String(keep), '--json']
    const verifying = verifyEveryDays === 0 ? [] : ['--verify-every', String(verifyEveryDays)]
    const args = [PROGRAM, 'backup', to, '--data', dataFolder, ...settings, ...flags, ...verifying]
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
      const run: ReportedRun = JSON.parse(stdout)
      for (const line of linesOf(stderr)) if (!run.damage.includes(line)) log.warn(line)
      return run
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

/** What a command has said, without its security events. */
const linesOf = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))

const sentenceOf = (stderr: string, code: number | null): string =>
  linesOf(stderr).join(' ') || `the command ended with ${code}`
