import type { AlarmStateCode } from './lifecycle-table.ts'

const STATE_CODES: readonly AlarmStateCode[] = [0, 1, 2, 3, 4]

/** The state code of a stored number; throws for a number that is not a state code. */
export function toStateCode(stored: number): AlarmStateCode {
  const code = STATE_CODES.find((one) => one === stored)
  if (code === undefined) throw new RangeError(`${stored} is not the state code of an alarm`)
  return code
}
