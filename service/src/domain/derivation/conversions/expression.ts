import { readFormula } from '../expression.ts'
import { ownValue } from '../own-value.ts'
import { conversionKind } from './conversion-kind.ts'

export const expression = conversionKind({
  summary: 'a formula over numbers of your own and raw values',
  source: "the operator's own",
  parameters: {},
  texts: {
    formula: { description: 'the formula, such as k * (frequency^2 - f0^2) + offset' },
  },
  inputs: {},
  namesIn({ formula }) {
    return readFormula(formula).names
  },
  findFault(numbers: Readonly<Record<string, number>>, { formula }) {
    const isFixed = readFormula(formula).names.every((name) => Object.hasOwn(numbers, name))
    if (!isFixed) return undefined
    return 'expression reads no raw value, expected a name in its formula that is no number'
  },
  prepare(numbers: Readonly<Record<string, number>>, { formula }) {
    const { names, evaluate } = readFormula(formula)
    const values = names.map((name) => ownValue(numbers, name) ?? NaN)
    const inputIndexes = [...names.entries()].filter(([, name]) => !Object.hasOwn(numbers, name))
    return (inputs: Readonly<Record<string, number>>) => {
      for (const [index, name] of inputIndexes) values[index] = inputs[name] ?? NaN
      return evaluate(values) ?? NaN
    }
  },
})
