/** The time of a waveform's first sample: an instant and the nanoseconds after it, below 1,000,000. */
export type Trigger = { time: number; nanoseconds: number }

const FRACTION = /[:\d]\.\d{3}(\d{1,6})/

/** Returns the nanoseconds after the last whole millisecond of a time as text; 0 for other values. */
export function nanosecondsOf(text: unknown): number {
  if (typeof text !== 'string') return 0
  const [, digits = ''] = FRACTION.exec(text) ?? []
  return Number(digits.padEnd(6, '0'))
}

/** Formats a trigger as ISO 8601 in UTC, with three to nine decimal places of the second. */
export function formatTrigger({ time, nanoseconds }: Trigger): string {
  const text = new Date(time).toISOString().slice(0, -1)
  const finer = nanoseconds === 0 ? '' : String(nanoseconds).padStart(6, '0').replace(/0+$/, '')
  return `${text}${finer}Z`
}

/** Returns the instant at which the second of `time` begins. */
export const secondOf = (time: number): number => Math.floor(time / 1000) * 1000
