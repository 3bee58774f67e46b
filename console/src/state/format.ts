import { texts } from '../texts/texts.svelte.ts'
import { settings } from './settings.svelte.ts'

/** The minus sign of typography, which is as wide as a digit. */
const withMinus = (text: string): string => text.replace('-', '−')

/** A number with the decimals of its item, or with up to six significant digits. */
export function formatNumber(value: number | null | undefined, precision?: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return texts.common.nothing
  const options =
    precision === undefined
      ? { maximumSignificantDigits: 6 }
      : { minimumFractionDigits: precision, maximumFractionDigits: precision }
  return withMinus(new Intl.NumberFormat(settings.language, options).format(value))
}

export const formatCount = (count: number): string =>
  new Intl.NumberFormat(settings.language).format(count)

/** How long ago something was. */
export function formatAge(seconds: number | null): string {
  const { ago } = texts.common.time
  if (seconds === null) return texts.common.nothing
  if (seconds < 5) return ago.now
  if (seconds < 90) return ago.seconds(Math.round(seconds))
  if (seconds < 90 * 60) return ago.minutes(Math.round(seconds / 60))
  if (seconds < 36 * 3600) return ago.hours(Math.round(seconds / 3600))
  if (seconds < 730 * 86400) return ago.days(Math.round(seconds / 86400))
  return ago.years(Math.floor(seconds / (365.25 * 86400)))
}

/** An instant in a zone, as `2026-11-25 14:03:21`, the form of the interface in both languages. */
export function formatInstant(milliseconds: number, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone !== undefined && { timeZone }),
  })
  return parts.format(milliseconds)
}
