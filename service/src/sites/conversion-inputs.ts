import { CONVERSIONS, checkConversion, findConversion } from '../domain/conversion.ts'
import { RefusedError } from '../domain/refused-error.ts'
import { ConversionProblem } from './conversion-problem.ts'
import { didYouMean, didYouMeanOr } from './near-miss.ts'

type Parameters = Record<string, number | string>

/** The kind exists and has these parameters. */
export function checkParameters(kind: string, parameters: Parameters): void {
  try {
    checkConversion({ kind, parameters })
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    if (findConversion(kind) === undefined) {
      const hint = didYouMean(kind, Object.keys(CONVERSIONS))
      throw new ConversionProblem(['kind'], `${error.message}${hint}`)
    }
    const [, name = ''] = /\bparameter "?([^\s"]+)/.exec(error.message) ?? []
    throw new ConversionProblem(Object.hasOwn(parameters, name) ? [name] : [], error.message)
  }
}

type Reading = {
  kind: string
  parameters: Parameters
  /** The item that is computed. */
  item: string
  /** What the sensor sends, and its name. */
  rawKeys: readonly string[]
  sender: string
}

/**
 * The raw key of each input: the one that is named, or the one that bears the input's name. The
 * input of a kind that has only one may also be the raw value of the item's key, or the only one.
 */
export function resolveInputs(reading: Reading): Record<string, string> {
  const { kind, parameters, item, rawKeys, sender } = reading
  const names = Object.keys(findConversion(kind)?.inputs ?? {})
  const inputs = new Map<string, string>()
  for (const name of names) {
    const given = parameters[name]
    const candidates = names.length === 1 ? [name, item] : [name]
    const only = names.length === 1 && rawKeys.length === 1 ? rawKeys[0] : undefined
    const found = candidates.find((key) => rawKeys.includes(key)) ?? only
    if (typeof given === 'string' && !rawKeys.includes(given)) {
      const hint = didYouMeanOr(given, rawKeys)
      throw new ConversionProblem([name], `${sender} sends no ${given}${hint}`)
    }
    const key = typeof given === 'string' ? given : found
    if (key !== undefined) inputs.set(name, key)
  }
  const missing = names.find((name) => !inputs.has(name))
  if (missing !== undefined && !computes(reading, inputs)) {
    throw new ConversionProblem(
      [],
      `${missing} is missing: ${sender} sends ${rawKeys.join(', ')}, expected ${kind} to be told ` +
        'which of them it is',
    )
  }
  return Object.fromEntries(inputs)
}

/** Whether the conversion gives a value from these inputs alone, with its parameters. */
function computes({ kind, parameters }: Reading, inputs: ReadonlyMap<string, string>): boolean {
  const numbers = Object.entries(parameters).filter((entry) => typeof entry[1] === 'number')
  const sample = [...inputs.keys()].map((name) => [name, 1] as const)
  const value = findConversion(kind)?.convert(
    Object.fromEntries(sample),
    Object.fromEntries(numbers) as Record<string, number>,
  )
  return value !== undefined
}
