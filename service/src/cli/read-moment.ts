import { RefusedError } from '../errors/refused-error.ts'
import { momentOf } from '../errors/show.ts'
import { UsageError } from './command.ts'

/** The moment of `--at`, of ISO 8601; without an offset in the time of this machine. */
export function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const moment = MOMENT.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  if (Number.isFinite(moment)) return moment
  throw new UsageError(
    `--at ${text} is no moment; expected one such as 2026-03-01T12:00 or 2026-03-01T12:00:00+08:00.`,
  )
}

/**
 * Refuses a moment that has not been: whoever names one has mistaken a day or an offset. The clock of a
 * machine that was set up again may be behind what it restores.
 */
export function requirePast(at: number, { path, newest }: { path: string; newest: number }): void {
  if (at <= Date.now() || at <= newest || !Number.isFinite(newest)) return
  throw new RefusedError(
    'invalid',
    `--at ${momentOf(at)} is in the future, and the newest moment in ${path} is ${momentOf(newest)}. Name that moment or an earlier one, or leave out --at.`,
  )
}

const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/
