import { formatValue } from '../alarm-content.ts'
import type { RateDirection } from '../alarm-settings.ts'

/** The amount of a change that counts in a direction; below 0 for a change that does not count. */
export function countedChange(change: number, direction: RateDirection = 'both'): number {
  if (direction === 'rising') return change
  return direction === 'falling' ? -change : Math.abs(change)
}

const SIGNS: Readonly<Record<RateDirection, string>> = { both: '', rising: '+', falling: '-' }

/** Formats an amount of change with the sign of its direction, where only one counts. */
export function formatChange(amount: number, direction: RateDirection = 'both'): string {
  return `${SIGNS[direction]}${formatValue(amount)}`
}
