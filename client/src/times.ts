/** A date and time of Temporal, of the runtime or of a library. */
export type TemporalTime = PlainDateTime | Instant | ZonedDateTime

type PlainDateTime = Tagged<'Temporal.PlainDateTime'>

type ZonedDateTime = Tagged<'Temporal.ZonedDateTime'> & {
  toInstant(): Instant
  withTimeZone(timeZone: string): { toPlainDateTime(): PlainDateTime }
}

type Instant = Tagged<'Temporal.Instant'> & {
  toZonedDateTimeISO(timeZone: string): { toPlainDateTime(): PlainDateTime }
}

type Tagged<Tag extends string> = { readonly [Symbol.toStringTag]: Tag; toString(): string }

export type TimeOptions = {
  /** The time zone of the structures. */
  timeZone: string | undefined
  /** Records may have instants and fractions of seconds; windows have local times. */
  isIngest: boolean
}

/** The input with texts in place of times of Temporal, also in records. */
export function withTimes(input: object, options: TimeOptions): object {
  return mapMembers(input, (name, value) => {
    if (isTemporal(value)) return textOf(name, value, options)
    return Array.isArray(value) ? value.map(withRecordTime(options)) : value
  })
}

const withRecordTime =
  (options: TimeOptions) =>
  (record: unknown): unknown => {
    const { time } = (record ?? {}) as { time?: unknown }
    return isTemporal(time)
      ? { ...(record as object), time: textOf('time', time, { ...options, isIngest: true }) }
      : record
  }

function mapMembers(input: object, map: (name: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, map(name, value)]))
}

function isTemporal(value: unknown): value is TemporalTime {
  if (typeof value !== 'object' || value === null) return false
  const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]
  return (
    tag === 'Temporal.PlainDateTime' ||
    tag === 'Temporal.Instant' ||
    tag === 'Temporal.ZonedDateTime'
  )
}

function textOf(name: string, time: TemporalTime, { timeZone, isIngest }: TimeOptions): string {
  if (isIngest && !isPlain(time)) return (isInstant(time) ? time : time.toInstant()).toString()
  const text = toPlain(name, time, timeZone).toString().replace('T', ' ')
  // Seconds of 0 may be left out, and a window is one of whole seconds.
  const [day = '', clock = ''] = text.split(' ')
  const [, minutes = '', seconds = ':00', fraction = ''] =
    /^(\d\d:\d\d)(:\d\d)?(\.\d+)?/.exec(clock) ?? []
  return `${day} ${minutes}${seconds}${isIngest ? fraction : ''}`
}

function toPlain(name: string, time: TemporalTime, timeZone: string | undefined): PlainDateTime {
  if (isPlain(time)) return time
  if (timeZone === undefined)
    throw new TypeError(
      `${name} is an instant, and the client does not know the time zone of the structure: ` +
        'give it as createClient({ timeZone }), or use a PlainDateTime.',
    )
  const zoned = isInstant(time) ? time.toZonedDateTimeISO(timeZone) : time.withTimeZone(timeZone)
  return zoned.toPlainDateTime()
}

const isPlain = (time: TemporalTime): time is PlainDateTime =>
  time[Symbol.toStringTag] === 'Temporal.PlainDateTime'

const isInstant = (time: TemporalTime): time is Instant =>
  time[Symbol.toStringTag] === 'Temporal.Instant'

type Reader<Result> = { PlainDateTime: { from(text: string): Result } }

/** Temporal.PlainDateTime where the types of the runtime have it. */
type RuntimePlainDateTime = typeof globalThis extends { Temporal: Reader<infer Result> }
  ? Result
  : unknown

/** Reads the `time` of a response into a PlainDateTime of the runtime, or of a library. */
export function readTime(time: string): RuntimePlainDateTime
export function readTime<Result>(time: string, temporal: Reader<Result>): Result
export function readTime(time: string, temporal?: Reader<unknown>): unknown {
  const found = temporal ?? (globalThis as { Temporal?: Reader<unknown> }).Temporal
  if (found === undefined)
    throw new TypeError('This runtime has no Temporal. Give a library: readTime(time, Temporal).')
  return found.PlainDateTime.from(time.replace(' ', 'T'))
}
