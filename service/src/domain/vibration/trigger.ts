/** The moment of a waveform's first sample: epoch milliseconds, and the nanoseconds beyond them. */
export type Trigger = { time: number; nanoseconds: number }

const FRACTION = /[:\d]\.\d{3}(\d{1,6})/

/** The nanoseconds beyond the millisecond of a time as text, 0 to 999,999; finer digits are cut. */
export function nanosecondsOf(text: unknown): number {
  if (typeof text !== 'string') return 0
  const [, digits = ''] = FRACTION.exec(text) ?? []
  return Number(digits.padEnd(6, '0'))
}

/** ISO 8601 in UTC, with three to nine digits of the second. */
export function formatTrigger({ time, nanoseconds }: Trigger): string {
  const text = new Date(time).toISOString().slice(0, -1)
  const finer = nanoseconds === 0 ? '' : String(nanoseconds).padStart(6, '0').replace(/0+$/, '')
  return `${text}${finer}Z`
}

/** The whole second an instant lies in, in milliseconds. */
export const secondOf = (time: number): number => Math.floor(time / 1000) * 1000
