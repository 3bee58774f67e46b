import { SECURITY_EVENTS, type SecurityEvent } from './security-events.ts'

/** The caller, its address and the outcome; never a secret, a token, a plate or a URL. */
export type SecurityDetails = Readonly<Record<string, string | number | readonly number[]>>

type SecurityLogOptions = {
  log: { info(fields: object, message: string): void }
  /** The maximum number of lines of one event in a minute; further events are counted. */
  linesPerMinute: number
  now(): number
}

type Repeated = { details: SecurityDetails; more: number }
type Minute = { began: number; lines: number; seen: Map<string, Repeated>; others: number }

const MINUTE = 60_000

/**
 * Writes security events as log lines, limited in number per minute.
 *
 * Equal events of a minute are one line, and a second one at the end of the minute with the number of
 * the others.
 */
export class SecurityLog {
  readonly #options: SecurityLogOptions
  readonly #minutes = new Map<SecurityEvent, Minute>()
  readonly #counts = new Map<SecurityEvent, number>()

  constructor(options: SecurityLogOptions) {
    this.#options = options
  }

  record(event: SecurityEvent, details: SecurityDetails): void {
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1)
    const minute = this.#minuteOf(event)
    const key = JSON.stringify(details)
    const seen = minute.seen.get(key)
    if (seen !== undefined && SECURITY_EVENTS[event].repetition === 'first') {
      seen.more++
      return
    }
    if (minute.lines >= this.#options.linesPerMinute) {
      minute.others++
      return
    }
    minute.lines++
    minute.seen.set(key, { details, more: 0 })
    this.#options.log.info({ event, ...details }, SECURITY_EVENTS[event].meaning)
  }

  /** Returns the number of each event since the start, including those not written. */
  counts(): ReadonlyMap<SecurityEvent, number> {
    return this.#counts
  }

  /** Writes the counts of minutes that are over; with `all` also of the current ones. */
  summarize(all = false): void {
    for (const [event, minute] of this.#minutes)
      if (all || this.#isOver(minute)) this.#close(event, minute)
  }

  #minuteOf(event: SecurityEvent): Minute {
    const open = this.#minutes.get(event)
    if (open !== undefined && !this.#isOver(open)) return open
    if (open !== undefined) this.#close(event, open)
    const fresh = { began: this.#options.now(), lines: 0, seen: new Map(), others: 0 }
    this.#minutes.set(event, fresh)
    return fresh
  }

  /** A clock that was set back ends the minute too. */
  #isOver({ began }: Minute): boolean {
    const elapsed = this.#options.now() - began
    return elapsed >= MINUTE || elapsed < 0
  }

  #close(event: SecurityEvent, { seen, others }: Minute): void {
    this.#minutes.delete(event)
    const { log } = this.#options
    for (const { details, more } of seen.values())
      if (more > 0) log.info({ event, ...details, more }, `And ${count(more)} in the last minute.`)
    if (others > 0)
      log.info({ event, more: others }, `And ${count(others)} in the last minute, not listed.`)
  }
}

const count = (more: number): string => `${more.toLocaleString('en')} more`
