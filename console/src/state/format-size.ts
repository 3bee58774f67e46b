import { settings } from './settings.svelte.ts'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** A number of bytes with three digits: `12.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const options = unit === 0 ? {} : { maximumSignificantDigits: 3 }
  const number = new Intl.NumberFormat(settings.language, options)
  return `${number.format(value)}\u202f${UNITS[unit]}`
}

/** The zone of this browser, in which pages of the whole site show times. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
