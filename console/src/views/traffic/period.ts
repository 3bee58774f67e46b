/** Days of a period, both included, `2009-05-17`. */
export type Period = { from: string; to: string }

const DAY = 86_400_000
const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/

const read = (day: string): number => Date.parse(`${day}T00:00:00Z`)
const write = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && DAY_FORM.test(text) && !Number.isNaN(read(text))

export const days = ({ from, to }: Period): number => (read(to) - read(from)) / DAY + 1

/** The period of the same length before (-1) or after (1). */
export function shift(period: Period, by: -1 | 1): Period {
  const length = days(period) * DAY * by
  return { from: write(read(period.from) + length), to: write(read(period.to) + length) }
}

/** The days before a day, and itself. */
export const lastDays = (to: string, count: number): Period => ({
  from: write(read(to) - (count - 1) * DAY),
  to,
})

/** The times of a period as the interface takes them. */
export const times = ({ from, to }: Period): { startTime: string; endTime: string } => ({
  startTime: `${from} 00:00:00`,
  endTime: `${to} 23:59:59`,
})

export type Step = 'hour' | 'day' | 'month'

const MOST_HOURS_DAYS = 4
const MOST_DAYS = 100

/** How long a bar of a chart of this period is. */
export const stepOf = (period: Period): Step =>
  days(period) <= MOST_HOURS_DAYS ? 'hour' : days(period) <= MOST_DAYS ? 'day' : 'month'

const LENGTHS: Record<Step, number> = { hour: 13, day: 10, month: 7 }

/** The bar that an hour belongs to, by the beginning of its text. */
export const barOf = (hour: string, step: Step): string => hour.slice(0, LENGTHS[step])

/** All bars of a period in their order, also those without a vehicle. */
export function barsOf(period: Period, step: Step): string[] {
  const hours = Array.from({ length: days(period) }, (_, day) => read(period.from) + day * DAY)
  const all = hours.flatMap((day) =>
    step === 'hour'
      ? Array.from({ length: 24 }, (_, hour) => `${write(day)} ${String(hour).padStart(2, '0')}`)
      : [barOf(write(day), step)],
  )
  return [...new Set(all)]
}
