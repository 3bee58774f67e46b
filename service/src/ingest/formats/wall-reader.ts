import { DAY_MS } from '../../domain/time/wall-clock.ts'
import { shorten } from '../../errors/show.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import type { RowProblem } from './columns.ts'
import type { TimeSource } from './mapping.ts'
import { dayOfYear } from './time-format.ts'

/** Milliseconds since 1970: in UTC, or with `isWall` of a local clock. */
type RowTime = { milliseconds: number; isWall: boolean }

/** Compiles the reader of a row's time from the fields `at`. */
export function wallReader(
  source: TimeSource,
): (fields: Fields, at: readonly number[]) => RowTime | RowProblem {
  if (source.kind === 'epoch')
    return (fields, [field = 0]) => readEpoch(fields, field, source.milliseconds)
  if (source.kind === 'numbers') return readNumbers

  const { format } = source
  const example = format.format(Date.UTC(2026, 0, 31, 13, 45, 30))
  return (fields, at) => {
    const text = textOf(fields, at, ' ')
    const milliseconds = format.parse(text)
    return milliseconds === undefined
      ? {
          reason: `time ${JSON.stringify(shorten(text, 40))} does not match the format, for example ${example}`,
        }
      : { milliseconds, isWall: true }
  }
}

const textOf = (fields: Fields, at: readonly number[], separator: string): string =>
  at.map((field) => fields.text(field)).join(separator)

function readEpoch(fields: Fields, field: number, milliseconds: number): RowTime | RowProblem {
  const value = fields.number(field)
  return Number.isFinite(value)
    ? { milliseconds: Math.floor(value * milliseconds), isWall: false }
    : { reason: `its time ${JSON.stringify(shorten(fields.text(field), 40))} is no number` }
}

/** Reads year, day of the year, `hhmm` and optional seconds; 2400 is the midnight that ends the day. */
function readNumbers(fields: Fields, at: readonly number[]): RowTime | RowProblem {
  const [year = NaN, day = NaN, clock = NaN, second = 0] = at.map((field) => fields.number(field))
  const date =
    Number.isInteger(year) && year > 0 && Number.isInteger(day) ? dayOfYear(year, day) : undefined
  const hour = Math.floor(clock / 100)
  const minute = clock % 100
  const isClock =
    Number.isInteger(clock) &&
    minute < 60 &&
    clock >= 0 &&
    second >= 0 &&
    second < 60 &&
    (hour < 24 || (hour === 24 && minute + second === 0))
  if (date === undefined || !isClock)
    return {
      reason: `its time ${textOf(fields, at, ', ')} is no year, day of the year and hour with minute`,
    }
  const inDay = (hour * 60 + minute) * 60_000 + Math.floor(second * 1000)
  return { milliseconds: date * DAY_MS + inDay, isWall: true }
}
