import type { Logger } from 'pino'
import { startJob, type JobSchedule } from '../background/job.ts'
import { Leadership } from '../background/leadership.ts'
import {
  followClock,
  isBehind,
  trustedTime,
  UNKNOWN_CLOCK,
  type TrustedClock,
} from '../domain/time/trusted-clock.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Storage } from '../storage/storage.ts'
import { describeDoubt, findClockProblem } from './clock-problem.ts'

const EVERY_MILLISECONDS = 60_000
/** The time after a third missed run in which a leader that died is replaced. */
const TERM_MILLISECONDS = 10_000
/** How often a clock that is behind or doubted is checked for a confirmation. */
const CONFIRMED_MILLISECONDS = 1_000
const HOUR = 3_600_000
const RETRY_AFTER_SECONDS = 60

type ClockMonitorOptions = {
  storage: Pick<Storage, 'clock' | 'leases'>
  log: Logger
  /** How far the clock may differ from the running time, and the running time that confirms it. */
  toleranceHours: number
  now(): number
  /** A monotonic clock in milliseconds. */
  monotonic?: (() => number) | undefined
  everyMilliseconds?: JobSchedule['everyMilliseconds'] | undefined
}

export type ClockState = {
  clock: number
  isConfirmed: boolean
  /** The time from which retention counts; `null`: nothing is deleted yet. */
  countsFrom: number | null
  /** The running time after which the clock is confirmed without an operator. */
  leftMilliseconds: number
}

/**
 * Compares the clock with the running time and with its stored state, in one instance at a time.
 *
 * An operator confirms the clock by writing a state, which is read again each time.
 */
export class ClockMonitor implements AsyncDisposable {
  readonly #options: ClockMonitorOptions
  readonly #monotonic: () => number
  readonly #leadership: Leadership
  readonly #jobs = new AsyncDisposableStack()
  #state: TrustedClock = UNKNOWN_CLOCK
  /** The monotonic time when the state was last read or written, and when this instance wrote it. */
  #readAt: number
  #writtenAt: number | undefined
  #loggedDoubt: string | undefined
  #isBehind = false

  private constructor(options: ClockMonitorOptions, everyMilliseconds: number) {
    const { storage, now } = options
    this.#options = options
    this.#monotonic = options.monotonic ?? (() => performance.now())
    this.#readAt = this.#monotonic()
    this.#leadership = new Leadership({
      name: 'clock',
      leases: storage.leases,
      now,
      termMilliseconds: TERM_MILLISECONDS + 3 * everyMilliseconds,
      isKept: true,
    })
  }

  /** Opens the monitor, after the first comparison. */
  static async open(options: ClockMonitorOptions): Promise<ClockMonitor> {
    const { log, everyMilliseconds = EVERY_MILLISECONDS } = options
    const monitor = new ClockMonitor(options, everyMilliseconds)
    const jobs = monitor.#jobs
    jobs.use(monitor.#leadership)
    const following = jobs.use(
      startJob({
        name: 'Clock monitoring',
        log,
        everyMilliseconds,
        firstMilliseconds: 0,
        run: () => monitor.#follow(),
      }),
    )
    jobs.use(
      startJob({
        name: 'Reading of the confirmed clock',
        log,
        everyMilliseconds: Math.min(everyMilliseconds, CONFIRMED_MILLISECONDS),
        run: () => monitor.#readConfirmation(),
      }),
    )
    await following.firstRun
    return monitor
  }

  /** The time from which retention counts; before every instant while no time is trusted. */
  trustedNow(): number {
    return trustedTime(this.#state, this.#options.now(), this.#monotonic() - this.#readAt)
  }

  /** The current time; while the clock is behind, the earliest time that it can be. */
  knownNow(): number {
    const now = this.#options.now()
    const least = this.#leastTime()
    return least !== undefined && isBehind(now, least) ? least : now
  }

  /** The problem of a clock that is more than a day behind, as a sentence. */
  findProblem(): string | undefined {
    const { log, now } = this.#options
    const clock = now()
    const problem = findClockProblem(clock, this.#leastTime())
    if ((problem !== undefined) === this.#isBehind) return problem
    this.#isBehind = problem !== undefined
    if (problem !== undefined) log.error(problem)
    else log.info(`The clock is no longer behind: ${show(clock)}. Records are taken again.`)
    return problem
  }

  /** Throws a `RefusedError` while the clock is behind. */
  requireClock(): void {
    const problem = this.findProblem()
    if (problem === undefined) return
    throw new RefusedError('unavailable', problem, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  state(): ClockState {
    const { doubted } = this.#followNow()
    const countsFrom = Math.floor(this.trustedNow())
    return {
      clock: this.#options.now(),
      isConfirmed: doubted === null,
      countsFrom: countsFrom === -Infinity ? null : countsFrom,
      leftMilliseconds: Math.ceil(doubted?.left ?? 0),
    }
  }

  /** Whether the clock agrees with its state now: it may have been set since the last run. */
  isConfirmed(): boolean {
    return this.#followNow().doubted === null
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#jobs.disposeAsync()
  }

  /** The state by the clock of now, which the next run stores. */
  #followNow(): TrustedClock {
    const { now, toleranceHours } = this.#options
    const elapsed = this.#monotonic() - this.#readAt
    return followClock(this.#state, { now: now(), elapsed, tolerance: toleranceHours * HOUR })
  }

  /** The earliest time that a right clock can show; undefined while no time is trusted. */
  #leastTime(): number | undefined {
    const { trusted } = this.#state
    return trusted === null ? undefined : trusted.instant + this.#monotonic() - this.#readAt
  }

  async #follow(): Promise<void> {
    if (await this.#leadership.run(() => this.#followAsLeader())) return
    const { state } = await this.#read()
    this.#writtenAt = undefined
    this.#take(state, this.#monotonic())
  }

  async #followAsLeader(): Promise<void> {
    const { storage, now, toleranceHours } = this.#options
    const { state, version } = await this.#read()
    const readAt = this.#monotonic()
    const elapsed = readAt - (this.#writtenAt ?? readAt)
    const reading = { now: now(), elapsed, tolerance: toleranceHours * HOUR }
    const followed = followClock(state, reading)
    // Otherwise an operator has confirmed the clock meanwhile: the next run reads that.
    if (!(await storage.clock.write(followed, version))) return
    this.#writtenAt = readAt
    this.#take(followed, readAt)
  }

  /** Applies the confirmation of an operator at once. */
  async #readConfirmation(): Promise<void> {
    const { now } = this.#options
    if (this.#state.doubted === null && !isBehind(now(), this.#leastTime())) return
    const { state } = await this.#read()
    const isGood = state.doubted === null && state.trusted !== null
    if (isGood && !isBehind(now(), state.trusted.instant)) this.#take(state, this.#monotonic())
  }

  async #read(): Promise<{ state: TrustedClock; version: number }> {
    return (await this.#options.storage.clock.read()) ?? { state: UNKNOWN_CLOCK, version: 0 }
  }

  #take(state: TrustedClock, readAt: number): void {
    this.#state = state
    this.#readAt = readAt
    this.findProblem()
    const { trusted, doubted } = state
    const doubt = doubted === null ? 'none' : `trusted before: ${trusted !== null}`
    if (doubt === this.#loggedDoubt) return
    const isFirst = this.#loggedDoubt === undefined
    this.#loggedDoubt = doubt
    const { log, now } = this.#options
    // A new installation has no earlier time to compare with, and nothing to delete.
    if (doubted !== null) log[trusted === null ? 'info' : 'warn'](describeDoubt(state, now()))
    else if (!isFirst) log.info(`The clock is confirmed: ${show(now())}.`)
  }
}

const show = (instant: number): string => new Date(instant).toISOString()
