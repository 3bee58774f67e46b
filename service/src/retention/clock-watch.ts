import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { startPeriodicJob } from '../background/periodic-job.ts'
import {
  followClock,
  isBehind,
  trustedTime,
  UNKNOWN_CLOCK,
  type TrustedClock,
} from '../domain/time/trusted-clock.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Storage } from '../storage/storage.ts'

const EVERY_MILLISECONDS = 60_000
/** While the clock is wrong or doubted, it is looked so often whether an operator has confirmed it. */
const CONFIRMED_MILLISECONDS = 1_000
const HOUR = 3_600_000
const LEASE = 'clock'
const RETRY_AFTER_SECONDS = 60

export type ClockWatchOptions = {
  storage: Pick<Storage, 'clock' | 'leases'>
  log: Logger
  /** So far the clock may leave the running time; and so much running time confirms it anyway. */
  toleranceHours: number
  now(): number
  /** Running time in milliseconds, by a clock that nobody sets. */
  monotonic?: (() => number) | undefined
  everyMilliseconds?: number | undefined
}

export type ClockState = {
  clock: number
  isConfirmed: boolean
  /** What deletion by age counts from; `null`: it waits. */
  countsFrom: number | null
  /** Running time until the clock is believed anyway. */
  leftMilliseconds: number
}

export type ClockWatch = AsyncDisposable & {
  /** The instant that deletion by age counts from; before every instant while no time is trusted. */
  trustedNow(): number
  /** The clock, and while it is behind what it should say at least. */
  knownNow(): number
  /** What is wrong with a clock that is more than a day behind, in a sentence. */
  findProblem(): string | undefined
  /** Refuses to take anything in while the clock is behind. */
  requireClock(): void
  state(): ClockState
  /** Whether the clock, as it is right now, agrees with its state: it may have been set since. */
  isConfirmed(): boolean
}

/**
 * Holds the clock against the running time and its state in storage, one instance at a time.
 *
 * An operator confirms it by writing a state: it is read again each time.
 */
export async function startClockWatch(options: ClockWatchOptions): Promise<ClockWatch> {
  const { log, everyMilliseconds = EVERY_MILLISECONDS } = options
  const watch = new Watch(options)
  const onError = (error: Error): void =>
    log.warn(`The state of the clock was not stored: ${error.message}`)
  await watch.look().catch(onError)
  await using stack = new AsyncDisposableStack()
  stack.use(startPeriodicJob({ run: () => watch.look(), onError, everyMilliseconds }))
  stack.use(
    startPeriodicJob({
      run: () => watch.takeUp(),
      onError,
      everyMilliseconds: Math.min(everyMilliseconds, CONFIRMED_MILLISECONDS),
    }),
  )
  const jobs = stack.move()
  return {
    trustedNow: () => watch.trustedNow(),
    knownNow: () => watch.knownNow(),
    findProblem: () => watch.findProblem(),
    requireClock() {
      const problem = watch.findProblem()
      if (problem === undefined) return
      throw new RefusedError('unavailable', problem, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    },
    state: () => watch.state(),
    isConfirmed: () => watch.isConfirmed(),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]()
      await watch.end().catch(onError)
    },
  }
}

class Watch {
  readonly #options: ClockWatchOptions
  readonly #monotonic: () => number
  readonly #holder = randomUUID()
  #state: TrustedClock = UNKNOWN_CLOCK
  /** Running time when the state was read or written last, and when we were the one who wrote it. */
  #readAt: number
  #writtenAt: number | undefined
  #said = ''
  #isBehind = false

  constructor(options: ClockWatchOptions) {
    this.#options = options
    this.#monotonic = options.monotonic ?? (() => performance.now())
    this.#readAt = this.#monotonic()
  }

  trustedNow(): number {
    return trustedTime(this.#state, this.#options.now(), this.#monotonic() - this.#readAt)
  }

  knownNow(): number {
    const now = this.#options.now()
    const reached = this.#reached()
    return reached !== undefined && isBehind(now, reached) ? reached : now
  }

  findProblem(): string | undefined {
    const { log, now } = this.#options
    const clock = now()
    const reached = this.#reached()
    const problem =
      reached !== undefined && isBehind(clock, reached) ? describeBehind(clock, reached) : undefined
    if ((problem !== undefined) === this.#isBehind) return problem
    this.#isBehind = problem !== undefined
    if (problem !== undefined) log.error(problem)
    else log.info(`The clock is no longer behind: ${show(clock)}. Records are taken again.`)
    return problem
  }

  /** What a right clock has passed, as far as that is known. */
  #reached(): number | undefined {
    const { trusted } = this.#state
    return trusted === null ? undefined : trusted.instant + this.#monotonic() - this.#readAt
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

  isConfirmed(): boolean {
    const { now, toleranceHours } = this.#options
    const elapsed = this.#monotonic() - this.#readAt
    const reading = { now: now(), elapsed, tolerance: toleranceHours * HOUR }
    return followClock(this.#state, reading).doubted === null
  }

  async look(): Promise<void> {
    const { storage, now, toleranceHours, everyMilliseconds = EVERY_MILLISECONDS } = this.#options
    const until = now() + 3 * everyMilliseconds
    const isMine = await storage.leases.take({
      name: LEASE,
      holder: this.#holder,
      now: now(),
      until,
    })
    const { state, version } = (await storage.clock.read()) ?? {
      state: UNKNOWN_CLOCK,
      version: 0,
    }
    const readAt = this.#monotonic()
    if (!isMine) {
      this.#writtenAt = undefined
      this.#take(state, readAt)
      return
    }
    const elapsed = readAt - (this.#writtenAt ?? readAt)
    const reading = { now: now(), elapsed, tolerance: toleranceHours * HOUR }
    const followed = followClock(state, reading)
    // Otherwise an operator has confirmed the clock meanwhile: next time.
    if (!(await storage.clock.write(followed, version))) return
    this.#writtenAt = readAt
    this.#take(followed, readAt)
  }

  /** What an operator has confirmed counts at once. */
  async takeUp(): Promise<void> {
    const { storage, now } = this.#options
    if (this.#state.doubted === null && !isBehind(now(), this.#reached())) return
    const { state } = (await storage.clock.read()) ?? { state: UNKNOWN_CLOCK }
    const isGood = state.doubted === null && state.trusted !== null
    if (isGood && !isBehind(now(), state.trusted.instant)) this.#take(state, this.#monotonic())
  }

  end(): Promise<void> {
    return this.#options.storage.leases.leave(LEASE, this.#holder)
  }

  #take(state: TrustedClock, readAt: number): void {
    this.#state = state
    this.#readAt = readAt
    this.findProblem()
    const { trusted, doubted } = state
    const said = doubted === null ? 'confirmed' : `doubted ${trusted === null}`
    if (said === this.#said) return
    const isFirst = this.#said === ''
    this.#said = said
    const { log, now } = this.#options
    // A new installation has nothing to hold its clock against, and nothing to delete.
    if (doubted !== null) log[trusted === null ? 'info' : 'warn'](describeDoubt(state, now()))
    else if (!isFirst) log.info(`The clock is confirmed: ${show(now())}.`)
  }
}

/** Refuses a command that takes records in where the clock is behind the one of the service. */
export async function requireKnownClock(
  { clock }: Pick<Storage, 'clock'>,
  now: number,
): Promise<void> {
  const trusted = (await clock.read())?.state.trusted?.instant
  if (trusted !== undefined && isBehind(now, trusted))
    throw new RefusedError('unavailable', describeBehind(now, trusted))
}

/** Says what is doubted, what deletion by age does meanwhile, and what the operator can do. */
export function describeDoubt({ trusted, doubted }: TrustedClock, now: number): string {
  const hours = Math.ceil((doubted?.left ?? 0) / HOUR)
  const until = isBehind(now, trusted?.instant)
    ? 'until the clock is set right, or "plumbline retention --confirm-clock" confirms it.'
    : `until the service has run for ${hours} h more, or "plumbline retention --confirm-clock" confirms the clock.`
  if (trusted === null)
    return `No earlier time is known to compare the clock (${show(now)}) with. Nothing is deleted by age ${until}`
  return `The clock says ${show(now)}, but the last trusted time is ${show(trusted.instant)}. Deletion by age counts from that time and the running time since ${until}`
}

/** Says why nothing is taken in, with both clocks, and what the operator can do. */
function describeBehind(now: number, reached: number): string {
  return `The service's clock says ${show(now)}, but it has passed ${show(reached)} before: nothing is stored until the clock is set right, or "plumbline retention --confirm-clock" confirms it.`
}

const show = (instant: number): string => new Date(instant).toISOString()
