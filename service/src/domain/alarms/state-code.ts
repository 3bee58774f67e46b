import type { AlarmStateCode } from './lifecycle-table.ts'

const STATE_CODES: readonly AlarmStateCode[] = [0, 1, 2, 3, 4]

export const isStateCode = (stored: number): stored is AlarmStateCode =>
  STATE_CODES.some((code) => code === stored)

/** The state code of a stored number; throws for a number that is not a state code. */
export function toStateCode(stored: number): AlarmStateCode {
  if (!isStateCode(stored)) throw new RangeError(`${stored} is not the state code of an alarm`)
  return stored
}
