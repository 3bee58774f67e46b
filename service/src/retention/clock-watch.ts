import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { startPeriodicJob } from '../background/periodic-job.ts'
import {
  followClock,
  provenInstant,
  UNKNOWN_COURSE,
  type ClockCourse,
} from '../domain/clock-course.ts'
import type { Storage } from '../storage/storage.ts'

const EVERY_MILLISECONDS = 60_000
const HOUR = 3_600_000
const LEASE = 'clock'

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
  /** The instant that deletion by age counts from; before every instant while nothing is proven. */
  provenNow(): number
  state(): ClockState
  /** Whether the clock, as it is right now, agrees with its course: it may have been set since. */
  isConfirmed(): boolean
}

/**
 * Holds the clock against the running time and its course in storage, one instance at a time.
 *
 * An operator confirms it by writing a course: it is read again each time.
 */
export async function startClockWatch(options: ClockWatchOptions): Promise<ClockWatch> {
  const { log, everyMilliseconds = EVERY_MILLISECONDS } = options
  const watch = new Watch(options)
  const onError = (error: Error): void =>
    log.warn(`the course of the clock was not kept: ${error.message}`)
  await watch.look().catch(onError)
  const job = startPeriodicJob({ run: () => watch.look(), onError, everyMilliseconds })
  return {
    provenNow: () => watch.provenNow(),
    state: () => watch.state(),
    isConfirmed: () => watch.isConfirmed(),
    async [Symbol.asyncDispose]() {
      await job[Symbol.asyncDispose]()
      await watch.end().catch(onError)
    },
  }
}

class Watch {
  readonly #options: ClockWatchOptions
  readonly #monotonic: () => number
  readonly #holder = randomUUID()
  #course: ClockCourse = UNKNOWN_COURSE
  /** Running time when the course was read or written last, and when we were the one who wrote it. */
  #readAt: number
  #writtenAt: number | undefined
  #said = ''

  constructor(options: ClockWatchOptions) {
    this.#options = options
    this.#monotonic = options.monotonic ?? (() => performance.now())
    this.#readAt = this.#monotonic()
  }

  provenNow(): number {
    return provenInstant(this.#course, this.#options.now(), this.#monotonic() - this.#readAt)
  }

  state(): ClockState {
    const { doubted } = this.#course
    const countsFrom = this.provenNow()
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
    return followClock(this.#course, reading).doubted === null
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
    const { course, version } = (await storage.clock.read()) ?? {
      course: UNKNOWN_COURSE,
      version: 0,
    }
    const readAt = this.#monotonic()
    if (!isMine) {
      this.#writtenAt = undefined
      this.#take(course, readAt)
      return
    }
    const elapsed = readAt - (this.#writtenAt ?? readAt)
    const reading = { now: now(), elapsed, tolerance: toleranceHours * HOUR }
    const followed = followClock(course, reading)
    // Otherwise an operator has confirmed the clock meanwhile: next time.
    if (!(await storage.clock.write(followed, version))) return
    this.#writtenAt = readAt
    this.#take(followed, readAt)
  }

  end(): Promise<void> {
    return this.#options.storage.leases.leave(LEASE, this.#holder)
  }

  #take(course: ClockCourse, readAt: number): void {
    this.#course = course
    this.#readAt = readAt
    const { proven, doubted } = course
    const said = doubted === null ? 'confirmed' : `doubted ${proven === null}`
    if (said === this.#said) return
    const isFirst = this.#said === ''
    this.#said = said
    const { log, now } = this.#options
    // A new installation has nothing to hold its clock against, and nothing to delete.
    if (doubted !== null) log[proven === null ? 'info' : 'warn'](describeDoubt(course, now()))
    else if (!isFirst) log.info(`The clock is confirmed: ${show(now())}.`)
  }
}

/** Says what is doubted, what deletion by age does meanwhile, and what the operator can do. */
export function describeDoubt({ proven, doubted }: ClockCourse, now: number): string {
  const hours = Math.ceil((doubted?.left ?? 0) / HOUR)
  const until = `until the service has run for ${hours} h more, or "plumbline retention --confirm-clock" confirms the clock.`
  if (proven === null)
    return `No earlier instant is known to hold the clock (${show(now)}) against. Nothing is deleted by age ${until}`
  return `The clock says ${show(now)}, but the last proven instant is ${show(proven.instant)}. Deletion by age counts from that instant and the running time since ${until}`
}

const show = (instant: number): string => new Date(instant).toISOString()
