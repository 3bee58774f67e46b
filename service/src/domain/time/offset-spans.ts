import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'

/**
 * A stretch of time in which a zone keeps one offset from UTC; all in milliseconds.
 *
 * Wall clocks from `localStart` up to `localEnd` belong to it. Both edges lie at the later of the
 * two wall clocks of their transition: so a clock that is read twice is the earlier instant, and
 * one that is never read runs on with the old offset, to the time after the gap.
 */
export type OffsetSpan = Readonly<{
  start: number
  end: number
  offset: number
  localStart: number
  localEnd: number
}>

/** The offsets of one zone, asked of Temporal once per span and remembered. */
export class OffsetSpans {
  readonly name: string
  /** Disjoint, in order of time. */
  readonly #known: OffsetSpan[] = []
  #last: OffsetSpan

  /** Takes an IANA name or a fixed offset such as `+08:00`; refuses any other name. */
  constructor(name: string) {
    try {
      this.name = new Temporal.ZonedDateTime(0n, name).timeZoneId
    } catch (cause) {
      const expected = 'expected an IANA name such as Asia/Shanghai'
      throw new RefusedError('invalid', `unknown time zone ${show(name)}, ${expected}`, {
        cause,
      })
    }
    this.#last = this.#find(0)
  }

  /** The span an instant lies in. */
  at(instant: number): OffsetSpan {
    const last = this.#last
    if (instant >= last.start && instant < last.end) return last
    return (this.#last = this.#find(instant))
  }

  /** The span a wall clock belongs to. */
  atLocal(local: number): OffsetSpan {
    const last = this.#last
    if (local >= last.localStart && local < last.localEnd) return last
    let span = this.at(local - last.offset)
    while (local < span.localStart) span = this.at(span.start - 1)
    while (local >= span.localEnd) span = this.at(span.end)
    return span
  }

  #find(instant: number): OffsetSpan {
    let low = 0
    let high = this.#known.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#known[middle]!.end <= instant) low = middle + 1
      else high = middle
    }
    const found = this.#known[low]
    if (found !== undefined && instant >= found.start) return found
    const span = this.#ask(instant)
    this.#known.splice(low, 0, span)
    return span
  }

  #ask(instant: number): OffsetSpan {
    const here = this.#zoned(Math.floor(instant))
    const offset = offsetOf(here)
    // `previous` looks strictly before, and an instant may be a transition itself.
    const before = here.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
    const after = here.getTimeZoneTransition('next')
    const start = before?.epochMilliseconds ?? -Infinity
    const end = after?.epochMilliseconds ?? Infinity
    const offsetBefore = before ? offsetOf(this.#zoned(start - 1)) : offset
    const offsetAfter = after ? offsetOf(after) : offset
    return {
      start,
      end,
      offset,
      localStart: start + Math.max(offsetBefore, offset),
      localEnd: end + Math.max(offset, offsetAfter),
    }
  }

  #zoned(instant: number): Temporal.ZonedDateTime {
    return new Temporal.ZonedDateTime(BigInt(instant) * 1_000_000n, this.name)
  }
}

function offsetOf(zoned: Temporal.ZonedDateTime): number {
  return zoned.offsetNanoseconds / 1_000_000
}
