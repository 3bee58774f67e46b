import type { Band } from '../station/thresholds.ts'
import { parseIntervals } from '../station/thresholds.ts'
import type { ItemForm } from './draft.ts'
import { intervalsProblem, toPlain } from './problems.ts'

/** The bands of what is typed: those that are not complete yet are left out. */
export function bandsOfForm({ slots, timeDivision }: ItemForm): Band[] {
  return slots.flatMap(({ start, end, levels }) => {
    const slot = timeDivision ? { start: secondsOf(start), end: secondsOf(end) } : undefined
    if (slot && !(Number.isFinite(slot.start) && Number.isFinite(slot.end))) return []
    return levels
      .filter(({ value }) => intervalsProblem(value) === undefined)
      .flatMap(({ level, value }) =>
        parseIntervals(toPlain(value)).map((interval) => ({
          level: Number(level) || 1,
          ...interval,
          slot,
        })),
      )
  })
}

function secondsOf(clock: string): number {
  const [hours = NaN, minutes = NaN, seconds = 0] = clock.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}
