/** A window of local times, both ends included, as the interface has it. */
export type Window = Readonly<{ startTime: string; endTime: string }>

const SECOND = 1000
const QUARTER = 15 * 60 * SECOND

/** Seconds of the first window of a long range. */
export const FIRST_SECONDS = 3600

const LONGEST_SECONDS = 366 * 86_400

/** As many records of a window are sought: few enough to hold, enough to be worth a request. */
const WANTED_RECORDS = 20_000

/**
 * The window of at most so many seconds with which a range begins, and where the next one begins.
 *
 * Clocks change at quarters of an hour. The service takes a local time that comes twice for its
 * earlier pass, so a window that began with the first second after an hour that comes twice would
 * leave its later pass out. No window but the first begins at a quarter of an hour.
 */
export function cutWindow(range: Window, seconds: number): { window: Window; next?: string } {
  const end = toMilliseconds(range.endTime)
  let next = toMilliseconds(range.startTime) + seconds * SECOND
  if (next % QUARTER === 0) next += SECOND
  if (next > end) return { window: range }
  return {
    window: { startTime: range.startTime, endTime: toText(next - SECOND) },
    next: toText(next),
  }
}

/** Seconds of the next window, by the records that the last one had. */
export function nextSeconds(seconds: number, records: number): number {
  const factor = records === 0 ? 8 : Math.min(8, Math.max(1 / 64, WANTED_RECORDS / records))
  return Math.max(1, Math.min(LONGEST_SECONDS, Math.floor(seconds * factor)))
}

/** Local times are counted as if they were of UTC: only their differences matter. */
function toMilliseconds(text: string): number {
  const milliseconds = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}Z`)
    : NaN
  if (Number.isNaN(milliseconds))
    throw new TypeError(`"${text}" is no local date and time YYYY-MM-DD HH:mm:ss`)
  return milliseconds
}

const toText = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')
