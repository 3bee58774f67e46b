import { show } from '../../errors/show.ts'
import { divide, parseRatio, type Ratio } from './ratio.ts'
import { normalizeUnit } from './unit-spelling.ts'
import { UNITS_BY_KIND } from './unit-table.ts'

/** How a value changes its unit: `(value + before) * multiply / divide + after`. Plain JSON. */
export type UnitConversion = Readonly<{
  before: number
  multiply: number
  divide: number
  after: number
}>

type KnownUnit = Readonly<{ kind: string; ratio: Ratio; zero: number }>

const KNOWN: ReadonlyMap<string, KnownUnit> = new Map(
  Object.entries(UNITS_BY_KIND).flatMap(([kind, units]) =>
    Object.entries(units).map(
      ([
        unit,
        {
          ratio: [amount, by = '1'],
          zero = 0,
        },
      ]) => {
        const ratio = divide(parseRatio(amount), parseRatio(by))
        return [normalizeUnit(unit), { kind, ratio, zero }] as const
      },
    ),
  ),
)

/**
 * Finds how values in one unit become values in another: `same` for two spellings of one unit,
 * undefined for units of different kinds. A unit that is not in the table is the same only as itself.
 */
export function findConversion(from: string, to: string): UnitConversion | 'same' | undefined {
  const [fromText, toText] = [normalizeUnit(from), normalizeUnit(to)]
  if (fromText === toText) return 'same'
  const [source, target] = [KNOWN.get(fromText), KNOWN.get(toText)]
  if (source === undefined || target === undefined || source.kind !== target.kind) return undefined
  const { numerator, denominator } = divide(source.ratio, target.ratio)
  return {
    before: -source.zero,
    multiply: Number(numerator),
    divide: Number(denominator),
    after: target.zero,
  }
}

/** Converts a value; the result is within two units in the last place of the exact one. */
export function convertValue(
  { before, multiply, divide: by, after }: UnitConversion,
  value: number,
): number {
  return ((value + before) * multiply) / by + after
}

/** Says why values in one unit cannot be stored in another, for the end of a sentence. */
export function describeMismatch(from: string, to: string): string {
  const [source, target] = [kindOf(from), kindOf(to)]
  const names = `${show(from)} does not convert to ${show(to)}`
  if (source === undefined || target === undefined) return names
  return `${names}: one is a unit of ${source}, the other of ${target}`
}

const kindOf = (unit: string): string | undefined => KNOWN.get(normalizeUnit(unit))?.kind
