import { conversionKind, type ConversionParameter } from './conversion-kind.ts'

type Coefficient = `c${number}`

const NAMES: readonly Coefficient[] = Array.from({ length: 10 }, (_, power) => `c${power}` as const)

const coefficient = (name: string, power: number): [string, ConversionParameter] => [
  name,
  {
    unit: power === 0 ? 'item unit' : `item unit / raw unit${power === 1 ? '' : `^${power}`}`,
    optional: true,
    description: `coefficient of v^${power}, 0 when it is left out`,
  },
]

export const polynomial = conversionKind({
  summary: 'c0 + c1 v + c2 v² + … + c9 v⁹',
  source: "a curved calibration (JCGM 200:2012, 4.31), as on a sensor's calibration sheet",
  parameters: Object.fromEntries(NAMES.map(coefficient)),
  inputs: { value: 'the raw reading v' },
  findFault(numbers) {
    const isEmpty = NAMES.every((name) => Number.isNaN(numbers[name]))
    return isEmpty ? 'polynomial needs at least one of c0 to c9' : undefined
  },
  prepare(numbers) {
    const coefficients = NAMES.map((name) => numbers[name] ?? NaN)
    const highestFirst = coefficients.map((c) => (Number.isNaN(c) ? 0 : c)).toReversed()
    // The last two stay, so that a constant needs its input as well.
    while (highestFirst.length > 2 && highestFirst[0] === 0) highestFirst.shift()
    const [highest = 0, ...others] = highestFirst
    return ({ value }) => {
      let sum = highest
      for (const c of others) sum = sum * value + c
      return sum
    }
  },
})
