import { UsageError } from './command.ts'

/** The moment of `--at`, of ISO 8601; without an offset in the time of this machine. */
export function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const moment = MOMENT.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  if (Number.isFinite(moment)) return moment
  throw new UsageError(
    `--at ${text} is no moment; expected one such as 2026-03-01T12:00 or 2026-03-01T12:00:00Z.`,
  )
}

const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/
