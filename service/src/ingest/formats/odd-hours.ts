import type { AmbiguousHour } from '../../domain/time/logger-clock.ts'
import { describeSkipped } from '../../domain/time/skipped-time.ts'
import { formatClock, formatDay, DAY_MS } from '../../domain/time/wall-clock.ts'
import { countOf } from '../../errors/show.ts'

/** What the operator can do about rows of an ambiguous hour. */
export const AMBIGUOUS_HINT =
  'If the logger does not change its clock, give its "offset" in the mapping.'

/** Sentences on the rows of a batch whose local times occur twice, or not at all. */
export const describeOddHours = ({
  ambiguous,
  skipped,
}: {
  ambiguous: readonly AmbiguousHour[]
  skipped: number
}): string[] => [
  ...ambiguous.map((hour) => `${describeAmbiguousHour(hour)}. ${AMBIGUOUS_HINT}`),
  ...(skipped > 0
    ? [`${countOf(skipped, 'row')} with a time that does not exist. ${SKIPPED_HINT}`]
    : []),
]

/** A sentence on rows of a repeated hour whose pass is not known, and how they were read. */
export function describeAmbiguousHour(hour: AmbiguousHour): string {
  const { rows, line, zone, from, until, isDisordered, pass } = hour
  const which = `${countOf(rows, 'row')} from line ${line} on`
  const what = `${rows === 1 ? 'lies' : 'lie'} between ${showWall(from)} and ${clockOf(until)}, which occurs twice in ${zone}`
  return `${which} ${what}; ${isDisordered ? disorder(pass) : ONE_PASS}`
}

/** Why a row is rejected whose local time its zone skips. */
export const describeSkippedRow = (wall: number, zoneName: string): string =>
  `${describeSkipped(showWall(wall), zoneName)}: give the "offset" of the logger in the mapping`

/** What rows of a skipped hour show about the rows after them. */
export const SKIPPED_HINT =
  'The logger does not set its clock forward, so its rows after that hour are early by as much.'

/** What the operator does once such a file is imported. */
export const UNDO_HINT =
  'Undo this import, give "offset" in the mapping, and import the file again.'

const ONE_PASS = 'there is only one pass, which counts as the earlier one'

const disorder = (pass: 1 | 2): string =>
  pass === 1
    ? 'they are not in order of time, and count as the earlier pass'
    : 'they are not in order of time: those from the first step back on count as the later pass'

const showWall = (wall: number): string =>
  `${formatDay(Math.floor(wall / DAY_MS))} ${clockOf(wall)}`

const clockOf = (wall: number): string =>
  formatClock(Math.floor((wall - Math.floor(wall / DAY_MS) * DAY_MS) / 1000))
