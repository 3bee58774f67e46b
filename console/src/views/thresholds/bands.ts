import type { Band } from '../station/thresholds.ts'
import { nearEnds, parseIntervals } from '../station/thresholds.ts'
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

/** The levels of bands that a chart of these values does not show: they neither hold them nor begin near. */
export function farLevels(
  bands: readonly Band[],
  { minimum, maximum }: { minimum: number; maximum: number },
): number[] {
  const isShown = (band: Band): boolean =>
    nearEnds([band], minimum, maximum).length > 0 || (band.low < maximum && band.high > minimum)
  const levels = [...new Set(bands.map(({ level }) => level))].toSorted((a, b) => a - b)
  return levels.filter((level) => !bands.some((band) => band.level === level && isShown(band)))
}

function secondsOf(clock: string): number {
  const [hours = NaN, minutes = NaN, seconds = 0] = clock.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}
