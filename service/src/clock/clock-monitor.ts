import type { Logger } from 'pino'
import { startJob } from '../background/job.ts'
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
/** A leader that has died is replaced so long after the third run that it has missed. */
const TERM_MILLISECONDS = 10_000
/** How often a clock that is wrong or doubted is compared with what an operator may have confirmed. */
const CONFIRMED_MILLISECONDS = 1_000
const HOUR = 3_600_000
const RETRY_AFTER_SECONDS = 60

export type ClockMonitorOptions = {
  storage: Pick<Storage, 'clock' | 'leases'>
  log: Logger
  /** How far the clock may leave the running time, and how much running time confirms it anyway. */
  toleranceHours: number
  now(): number
  /** Running time in milliseconds, by a clock that nobody sets. */
  monotonic?: (() => number) | undefined
  everyMilliseconds?: number | undefined
}

export type ClockState = {
  clock: number
  isConfirmed: boolean
  /** What deletion by age counts from; `null`: nothing is deleted yet. */
  countsFrom: number | null
  /** Running time until the clock is confirmed without an operator. */
  leftMilliseconds: number
}

/**
 * Compares the clock with the running time and with its state in storage, one instance at a time.
 *
 * An operator confirms the clock by writing a state: it is read again each time.
 */
export class ClockMonitor implements AsyncDisposable {
  readonly #options: ClockMonitorOptions
  readonly #monotonic: () => number
  readonly #leadership: Leadership
  readonly #jobs = new AsyncDisposableStack()
  #state: TrustedClock = UNKNOWN_CLOCK
  /** Running time when the state was read or written last, and when this instance wrote it. */
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

  /** Has compared the clock once when it returns. */
  static async open(options: ClockMonitorOptions): Promise<ClockMonitor> {
    const { log, everyMilliseconds = EVERY_MILLISECONDS } = options
    const monitor = new ClockMonitor(options, everyMilliseconds)
    const jobs = monitor.#jobs
    jobs.use(monitor.#leadership)
    const name = 'Clock monitoring'
    const following = jobs.use(
      startJob({
        name,
        log,
        everyMilliseconds,
        firstMilliseconds: 0,
        run: () => monitor.#follow(),
      }),
    )
    jobs.use(
      startJob({
        name,
        log,
        everyMilliseconds: Math.min(everyMilliseconds, CONFIRMED_MILLISECONDS),
        run: () => monitor.#readConfirmation(),
      }),
    )
    await following.firstRun
    return monitor
  }

  /** The instant that deletion by age counts from; before every instant while no time is trusted. */
  trustedNow(): number {
    return trustedTime(this.#state, this.#options.now(), this.#monotonic() - this.#readAt)
  }

  /** The clock; while it is behind, the least that it should say. */
  knownNow(): number {
    const now = this.#options.now()
    const least = this.#leastTime()
    return least !== undefined && isBehind(now, least) ? least : now
  }

  /** What is wrong with a clock that is more than a day behind, in a sentence. */
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

  /** Refuses to take anything in while the clock is behind. */
  requireClock(): void {
    const problem = this.findProblem()
    if (problem === undefined) return
    throw new RefusedError('unavailable', problem, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  state(): ClockState {
    const { doubted } = this.#state
    const countsFrom = this.trustedNow()
    return {
      clock: this.#options.now(),
      isConfirmed: doubted === null,
      countsFrom: countsFrom === -Infinity ? null : countsFrom,
      leftMilliseconds: doubted?.left ?? 0,
    }
  }

  /** Whether the clock, as it is right now, agrees with its state: it may have been set since. */
  isConfirmed(): boolean {
    const { now, toleranceHours } = this.#options
    const elapsed = this.#monotonic() - this.#readAt
    const reading = { now: now(), elapsed, tolerance: toleranceHours * HOUR }
    return followClock(this.#state, reading).doubted === null
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#jobs.disposeAsync()
  }

  /** What a right clock has passed, as far as that is known. */
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
    // Otherwise an operator has confirmed the clock meanwhile: next time.
    if (!(await storage.clock.write(followed, version))) return
    this.#writtenAt = readAt
    this.#take(followed, readAt)
  }

  /** What an operator has confirmed counts at once. */
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
    // A new installation has nothing to compare its clock with, and nothing to delete.
    if (doubted !== null) log[trusted === null ? 'info' : 'warn'](describeDoubt(state, now()))
    else if (!isFirst) log.info(`The clock is confirmed: ${show(now())}.`)
  }
}

const show = (instant: number): string => new Date(instant).toISOString()
