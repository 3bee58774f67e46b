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

/** A sensor of a station: its id, its name, and the raw keys that it sends. */
export type Sender = { id: string; name: string; keys: readonly string[] }

/** A raw key that a parameter names, of the conversion's own sensor or of another. */
export type NamedInput = { key: string; sensor?: string }

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
  const fixed = [...Object.keys(numbers), ...Object.keys(texts)]
  const known = [...fixed, ...inputNames({ kind, parameters })]
  return didYouMean(
    name,
    known.filter((one) => !Object.hasOwn(parameters, one)),
  )
}

const OF_ANOTHER = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(.+)$/is

/** The raw keys that parameters name: `key`, or `<sensor uuid>/<key>` of another of the sensors. */
export function namedInputs(
  choice: ConversionChoice,
  senders: ReadonlyMap<string, Sender>,
): Map<string, NamedInput> {
  const named = new Map<string, NamedInput>()
  for (const name of inputNames(choice)) {
    const text = Object.hasOwn(choice.parameters, name) ? choice.parameters[name] : undefined
    if (typeof text !== 'string') continue
    const [, uuid, key] = OF_ANOTHER.exec(text) ?? []
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

type Reading = ConversionChoice & {
  named: ReadonlyMap<string, NamedInput>
  /** The item that is computed. */
  item: string
  /** The sensor that is read where no other is named, and all of the station's. */
  sender: Sender
  senders: ReadonlyMap<string, Sender>
}

/**
 * The raw value of each input: the one that is named, or the one that bears the input's name. The
 * input of a kind that has only one may also be the raw value of the item's key, or the only one.
 * What is neither named nor needed is left out.
 */
export function resolveInputs(reading: Reading): ConversionInputs {
  const { kind, named, sender } = reading
  const inputs: [string, ConversionInput][] = []
  for (const name of inputNames(reading)) {
    const given = named.get(name)
    if (given?.sensor !== undefined) {
      inputs.push([name, { sensor: given.sensor, key: given.key }])
    } else if (given !== undefined) {
      if (!sender.keys.includes(given.key)) refuseKey(name, given.key, reading)
      inputs.push([name, { sensor: sender.id, key: given.key }])
    } else if (isNeeded(name, reading)) {
      const key = findKey(name, reading)
      if (key === undefined) {
        const sent = `${sender.name} sends ${sender.keys.join(', ')}`
        const told = `expected ${kind} to be told which of them it is${elsewhere(name, reading)}`
        throw new ConversionProblem([], `${name} is missing: ${sent}, ${told}`)
      }
      inputs.push([name, { sensor: sender.id, key }])
    }
  }
  return Object.fromEntries(inputs)
}

/** The raw key that an input is found under when none is named. */
function findKey(name: string, { kind, item, sender: { keys } }: Reading): string | undefined {
  if (keys.includes(name)) return name
  // A formula names what it reads; a slip in it shall not find another value.
  if (Object.keys(findConversion(kind)?.inputs ?? {}).length !== 1) return undefined
  if (keys.includes(item)) return item
  return keys.length === 1 ? keys[0] : undefined
}

/** Whether there is no value without the input; of a formula every name is needed. */
function isNeeded(name: string, { kind, parameters }: Reading): boolean {
  if (findConversion(kind)?.namesIn !== undefined) return true
  const sample = inputNames({ kind, parameters }).map((one) => [one, one === name ? NaN : 1])
  return !Number.isFinite(prepareConversion({ kind, parameters })(Object.fromEntries(sample)))
}

function refuseKey(name: string, key: string, reading: Reading): never {
  const { sender } = reading
  const hint = elsewhere(key, reading) || didYouMeanOr(key, sender.keys)
  throw new ConversionProblem([name], `${sender.name} sends no ${key}${hint}`)
}

/** `; VW-02 does: <its uuid>/temperature`, when another sensor of the station sends the key. */
function elsewhere(key: string, { senders }: Reading): string {
  const other = [...senders.values()].find(({ keys }) => keys.includes(key))
  return other === undefined ? '' : `; ${other.name} sends it: ${other.id}/${key}`
}
