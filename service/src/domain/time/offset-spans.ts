import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'

/**
 * A span of time with one offset from UTC; all in milliseconds.
 *
 * Local times from `localStart` to before `localEnd` belong to it. Both bounds are the later of the
 * two local times of their transition. So a local time that occurs twice is the earlier instant, and
 * a skipped one has the old offset.
 */
export type OffsetSpan = Readonly<{
  start: number
  end: number
  offset: number
  localStart: number
  localEnd: number
}>

/** The offsets of one zone, computed by Temporal once per span and cached. */
export class OffsetSpans {
  readonly name: string
  /** The cached spans, disjoint and in order of time. */
  readonly #spans: OffsetSpan[] = []
  #last: OffsetSpan

  /** `name` is an IANA name or a fixed offset such as `+08:00`; other names are refused. */
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

  /** Returns the span of an instant. */
  at(instant: number): OffsetSpan {
    const last = this.#last
    if (instant >= last.start && instant < last.end) return last
    return (this.#last = this.#find(instant))
  }

  /** Returns the span of a local time. */
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
    let high = this.#spans.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#spans[middle]?.end ?? Infinity) <= instant) low = middle + 1
      else high = middle
    }
    const found = this.#spans[low]
    if (found !== undefined && instant >= found.start) return found
    const span = this.#compute(instant)
    this.#spans.splice(low, 0, span)
    return span
  }

  #compute(instant: number): OffsetSpan {
    const here = this.#zoned(Math.floor(instant))
    const offset = offsetOf(here)
    // `previous` excludes the instant itself, which may be a transition.
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
