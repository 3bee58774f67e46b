import { isBehind, type TrustedClock } from '../domain/time/trusted-clock.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Storage } from '../storage/storage.ts'

const HOUR = 3_600_000

/** The problem of a clock that is far behind the trusted time, with the operator's next step. */
export const findClockProblem = (now: number, trusted: number | undefined): string | undefined =>
  trusted !== undefined && isBehind(now, trusted)
    ? `The service's clock says ${show(now)}, but it has passed ${show(trusted)} before: nothing is stored until the clock is set right, or "plumbline retention --confirm-clock" confirms it.`
    : undefined

/** Throws a `RefusedError` for a command that stores records while its clock is behind the trusted time. */
export async function requireKnownClock(
  { clock }: Pick<Storage, 'clock'>,
  now: number,
): Promise<void> {
  const trusted = (await clock.read())?.state.trusted?.instant
  const problem = findClockProblem(now, trusted)
  if (problem !== undefined) throw new RefusedError('unavailable', problem)
}

/** The sentences about a doubted clock: the doubt, its effect on retention, the operator's next step. */
export function describeDoubt({ trusted, doubted }: TrustedClock, now: number): string {
  const hours = Math.ceil((doubted?.left ?? 0) / HOUR)
  const until = isBehind(now, trusted?.instant)
    ? 'until the clock is set right, or "plumbline retention --confirm-clock" confirms it.'
    : `until the service has run for ${hours} h more, or "plumbline retention --confirm-clock" confirms the clock.`
  if (trusted === null)
    return `The service has no earlier time with which to compare the clock (${show(now)}). Nothing is deleted by age ${until}`
  return `The clock says ${show(now)}, but the last trusted time is ${show(trusted.instant)}. Deletion by age counts from that time and the running time since ${until}`
}

const show = (instant: number): string => new Date(instant).toISOString()
