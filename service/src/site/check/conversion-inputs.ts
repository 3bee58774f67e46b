import {
  CONVERSIONS,
  checkConversion,
  findConversion,
  inputNames,
  prepareConversion,
  type ConversionChoice,
} from '../../domain/derivation/conversion.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ConversionInput, ConversionInputs } from '../../domain/site/site-entry.ts'
import { ConversionProblem } from './conversion-problem.ts'
import { canonicalUuid } from '../file/file-parts.ts'
import { didYouMean, didYouMeanOr } from '../../schemas/near-miss.ts'

type Parameters = ConversionChoice['parameters']

/** A sensor of a station with the keys of its raw values. */
export type Sender = { id: string; name: string; keys: readonly string[] }

/** A raw key in a parameter; without `sensor` it is of the conversion's own sensor. */
type NamedInput = { key: string; sensor?: string }

/** Checks that a kind of conversion exists and has these parameters. */
export function checkParameters(kind: string, parameters: Parameters): void {
  try {
    checkConversion({ kind, parameters })
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    if (findConversion(kind) === undefined) {
      const hint = didYouMean(kind, Object.keys(CONVERSIONS))
      throw new ConversionProblem(['kind'], `${error.message}${hint}`)
    }
    const [, name = ''] = /\bparameter "?([^\s":]+)/.exec(error.message) ?? []
    if (!Object.hasOwn(parameters, name)) throw new ConversionProblem([], error.message)
    const hint = error.message.includes('has no parameter')
      ? unknownHint(kind, parameters, name)
      : ''
    throw new ConversionProblem([name], `${error.message}${hint}`)
  }
}

function unknownHint(kind: string, parameters: Parameters, name: string): string {
  const { parameters: numbers = {}, texts = {} } = findConversion(kind) ?? {}
  const fixedNames = [...Object.keys(numbers), ...Object.keys(texts)]
  const names = [...fixedNames, ...inputNames({ kind, parameters })]
  return didYouMean(
    name,
    names.filter((one) => !Object.hasOwn(parameters, one)),
  )
}

const KEY_OF_SENSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(.+)$/is

/** The raw keys in parameters: `key`, or `<sensor uuid>/<key>` of another sensor of the station. */
export function namedInputs(
  choice: ConversionChoice,
  senders: ReadonlyMap<string, Sender>,
): Map<string, NamedInput> {
  const named = new Map<string, NamedInput>()
  for (const name of inputNames(choice)) {
    const text = Object.hasOwn(choice.parameters, name) ? choice.parameters[name] : undefined
    if (typeof text !== 'string') continue
    const [, uuid, key] = KEY_OF_SENSOR.exec(text) ?? []
    if (uuid === undefined || key === undefined) {
      named.set(name, { key: text })
      continue
    }
    const sender = senders.get(canonicalUuid(uuid))
    if (sender === undefined) {
      const hint = didYouMean(canonicalUuid(uuid), senders.keys())
      const message = `${canonicalUuid(uuid)} is not one of the sensors of this station${hint}`
      throw new ConversionProblem([name], message)
    }
    if (!sender.keys.includes(key)) {
      const message = `${sender.name} sends no ${key}${didYouMeanOr(key, sender.keys)}`
      throw new ConversionProblem([name], message)
    }
    named.set(name, { key, sensor: sender.id })
  }
  return named
}

type InputContext = ConversionChoice & {
  named: ReadonlyMap<string, NamedInput>
  /** The item that is computed. */
  item: string
  /** The sensor of inputs without a sensor of their own, and all sensors of the station. */
  sender: Sender
  senders: ReadonlyMap<string, Sender>
}

/**
 * Finds the raw value of each input: the one that a parameter names, or the one with the name of the
 * input. The only input of a kind may also be the raw value with the key of the item, or the only
 * raw value. Inputs that are neither named nor required are left out.
 */
export function resolveInputs(context: InputContext): ConversionInputs {
  const { kind, named, sender } = context
  const inputs: [string, ConversionInput][] = []
  for (const name of inputNames(context)) {
    const input = named.get(name)
    if (input?.sensor !== undefined) {
      inputs.push([name, { sensor: input.sensor, key: input.key }])
    } else if (input !== undefined) {
      if (!sender.keys.includes(input.key)) refuseKey(name, input.key, context)
      inputs.push([name, { sensor: sender.id, key: input.key }])
    } else if (isRequired(name, context)) {
      const key = findKey(name, context)
      if (key === undefined) {
        const sent = `${sender.name} sends ${sender.keys.join(', ')}`
        const hint = hintAtOther(name, context)
        throw new ConversionProblem(
          [],
          `${name} is missing: ${sent}; expected one of them as a parameter of ${kind}${hint}`,
        )
      }
      inputs.push([name, { sensor: sender.id, key }])
    }
  }
  return Object.fromEntries(inputs)
}

/** The raw key of an input that no parameter names. */
function findKey(name: string, { kind, item, sender: { keys } }: InputContext): string | undefined {
  if (keys.includes(name)) return name
  // A wrong name in a formula must not select another raw value.
  if (Object.keys(findConversion(kind)?.inputs ?? {}).length !== 1) return undefined
  if (keys.includes(item)) return item
  return keys.length === 1 ? keys[0] : undefined
}

/** Whether the conversion has no value without an input; a formula requires every name. */
function isRequired(name: string, { kind, parameters }: InputContext): boolean {
  if (findConversion(kind)?.namesIn !== undefined) return true
  const sample = inputNames({ kind, parameters }).map((one) => [one, one === name ? NaN : 1])
  return !Number.isFinite(prepareConversion({ kind, parameters })(Object.fromEntries(sample)))
}

function refuseKey(name: string, key: string, context: InputContext): never {
  const { sender } = context
  const hint = hintAtOther(key, context) || didYouMeanOr(key, sender.keys)
  throw new ConversionProblem([name], `${sender.name} sends no ${key}${hint}`)
}

/** `; VW-02 sends it: <uuid>/temperature`, when another sensor of the station sends the key. */
function hintAtOther(key: string, { senders }: InputContext): string {
  const other = [...senders.values()].find(({ keys }) => keys.includes(key))
  return other === undefined ? '' : `; ${other.name} sends it: ${other.id}/${key}`
}
