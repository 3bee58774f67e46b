const SHOWN_LENGTH = 60

const HALF_AT_END = /[\ud800-\udbff]$/

/** The beginning of a text of any length, for a sentence; whole characters only. */
export function shorten(text: string, most = SHOWN_LENGTH): string {
  const shown = text.length > most ? `${text.slice(0, most).replace(HALF_AT_END, '')}…` : text
  return shown.toWellFormed()
}

/** `1 record`, `1,424 records`. */
export const countOf = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`

const MEGABYTE = 2 ** 20
const MINUTE = 60_000

/** `1,424 MB`; less than the bytes where they are no whole number. */
export const megabytesOf = (bytes: number): string =>
  `${Math.floor(bytes / MEGABYTE).toLocaleString('en')} MB`

/** Thousands of records may each name the same large value of their message. */
const shownValues = new WeakMap<object, string>()

/** A value of a sender, short enough for a sentence. */
export function show(value: unknown): string {
  if (typeof value !== 'object' || value === null) return write(value)
  const known = shownValues.get(value)
  if (known !== undefined) return known
  const text = write(value)
  shownValues.set(value, text)
  return text
}

function write(value: unknown): string {
  return shorten(JSON.stringify(beginningOf(value, { left: SHOWN_LENGTH })) ?? 'nothing')
}

/** The first parts of a value, in the order in which they are written: each has a character at least. */
function beginningOf(value: unknown, parts: { left: number }): unknown {
  if (typeof value === 'string') return value.slice(0, SHOWN_LENGTH)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const shown: unknown[] = []
    for (const part of value) {
      if (parts.left-- <= 0) break
      shown.push(beginningOf(part, parts))
    }
    return shown
  }
  const shown: Record<string, unknown> = Object.create(null)
  for (const name in value) {
    if (parts.left-- <= 0) break
    const part: unknown = Reflect.get(value, name)
    shown[name.slice(0, SHOWN_LENGTH)] = beginningOf(part, parts)
  }
  return shown
}

/** A moment in the time of this machine, with its offset: as people paste it into `--at`. */
export function momentOf(instant: number): string {
  const minutes = -new Date(instant).getTimezoneOffset()
  const local = new Date(instant + minutes * MINUTE).toISOString().slice(0, -1)
  const [hour, minute] = [Math.abs(minutes) / 60, Math.abs(minutes) % 60].map((one) =>
    String(Math.trunc(one)).padStart(2, '0'),
  )
  return `${local}${minutes < 0 ? '-' : '+'}${hour}:${minute}`
}
