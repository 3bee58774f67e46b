import { cableForce } from './conversions/cable-force.ts'
import type { Compute, ConversionKind, ConversionText } from './conversions/conversion-kind.ts'
import { expression } from './conversions/expression.ts'
import { gnss } from './conversions/gnss.ts'
import { linear } from './conversions/linear.ts'
import { polynomial } from './conversions/polynomial.ts'
import { tiltDisplacement } from './conversions/tilt-displacement.ts'
import { vibratingWireDigits } from './conversions/vibrating-wire-digits.ts'
import { vibratingWirePiezometer } from './conversions/vibrating-wire-piezometer.ts'
import { vibratingWireStrain } from './conversions/vibrating-wire-strain.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import type { ConversionSettings } from '../site/site-entry.ts'
import { ownValue } from './own-value.ts'

/** The built-in conversions by the `kind` of a site file. */
export const CONVERSIONS = Object.freeze({
  linear,
  polynomial,
  vibratingWireStrain,
  vibratingWireDigits,
  vibratingWirePiezometer,
  tiltDisplacement,
  cableForce,
  gnss,
  expression,
} satisfies Record<string, ConversionKind>)

/** A kind of conversion and its parameters in a site file. */
export type ConversionChoice = Pick<ConversionSettings, 'kind' | 'parameters'>

/** Returns the conversion of a kind; undefined for an unknown kind. */
export const findConversion = (kind: string): ConversionKind | undefined =>
  ownValue<ConversionKind>(CONVERSIONS, kind)

/**
 * Returns the conversion of a kind. Refuses an unknown kind, and parameters that are unknown,
 * missing, of the wrong type or contradictory.
 *
 * A text parameter with the name of an input is the key of a raw item, which is not checked here.
 */
export function checkConversion({ kind, parameters: given }: ConversionChoice): ConversionKind {
  const conversion = findConversion(kind)
  if (conversion === undefined) {
    const kinds = Object.keys(CONVERSIONS).join(', ')
    return refuse(`unknown conversion ${show(kind)}, known are ${kinds}`)
  }
  const { texts = {}, inputs } = conversion
  for (const [name, text] of Object.entries(texts)) checkText(kind, name, text, given)
  const named = readNames(conversion, kind, given)
  const fixed = [...Object.keys(conversion.parameters), ...Object.keys(texts)]
  const known = `known are ${[...fixed, ...Object.keys(inputs), ...named].join(', ')}`
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(texts, name)) continue
    if (Object.hasOwn(conversion.parameters, name)) checkNumber(kind, name, value, conversion)
    else if (Object.hasOwn(inputs, name)) checkKey(kind, name, value)
    else if (!named.includes(name)) {
      refuse(`${kind} has no parameter ${show(name)}, ${known}`)
    } else if (typeof value !== 'string') checkNumber(kind, name, value, conversion)
    else checkKey(kind, name, value)
  }
  checkNeeds(kind, conversion, given, known)
  const fault = conversion.findFault?.(numbersOf(conversion, given), textsOf(conversion, given))
  return fault === undefined ? conversion : refuse(fault)
}

/** Returns the names of a conversion's inputs, in order; none for an unknown kind. */
export function inputNames({ kind, parameters }: ConversionChoice): readonly string[] {
  const conversion = findConversion(kind)
  if (conversion?.namesIn === undefined) return Object.keys(conversion?.inputs ?? {})
  return conversion
    .namesIn(textsOf(conversion, parameters))
    .filter((name) => typeof ownValue(parameters, name) !== 'number')
}

/** Returns the function of a conversion; refuses what `checkConversion` refuses. */
export function prepareConversion(choice: ConversionChoice): Compute {
  const conversion = checkConversion(choice)
  return conversion.prepare(
    numbersOf(conversion, choice.parameters),
    textsOf(conversion, choice.parameters),
  )
}

type GivenParameters = Readonly<Record<string, unknown>>

/** The given numbers and the defaults of the others; NaN without a default. */
function numbersOf({ parameters }: ConversionKind, given: GivenParameters): Record<string, number> {
  const defaults = Object.entries(parameters).map(
    ([name, parameter]) => [name, parameter.default ?? NaN] as const,
  )
  const numbers = Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, value] as const] : [],
  )
  return Object.fromEntries([...defaults, ...numbers])
}

function textsOf({ texts = {} }: ConversionKind, given: GivenParameters): Record<string, string> {
  const entries = Object.entries(texts).map(
    ([name, text]) => [name, String(ownValue(given, name) ?? text.default ?? '')] as const,
  )
  return Object.fromEntries(entries)
}

function readNames(
  conversion: ConversionKind,
  kind: string,
  given: GivenParameters,
): readonly string[] {
  if (conversion.namesIn === undefined) return []
  const texts = textsOf(conversion, given)
  const names = readTexts(conversion, kind, texts)
  const own = names.find((name) => Object.hasOwn(texts, name))
  if (own === undefined) return names
  return refuse(`parameter ${own} of ${kind} is a text and has no value to compute with`)
}

function readTexts({ namesIn }: ConversionKind, kind: string, texts: Record<string, string>) {
  try {
    return namesIn?.(texts) ?? []
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const [name] = Object.keys(texts)
    return refuse(`parameter ${name} of ${kind}: ${error.message}`)
  }
}

function checkText(kind: string, name: string, text: ConversionText, given: GivenParameters): void {
  const value = ownValue(given, name)
  if (value === undefined) {
    if (text.default !== undefined) return
    const expected = text.oneOf === undefined ? text.description : text.oneOf.join(' or ')
    return refuse(`${kind} needs parameter ${name}: ${expected}`)
  }
  if (typeof value === 'string' && value !== '' && (text.oneOf?.includes(value) ?? true)) return
  const expected = text.oneOf === undefined ? 'a text' : `one of ${text.oneOf.join(', ')}`
  refuse(`parameter ${name} of ${kind} is ${show(value)}, expected ${expected}`)
}

function checkNumber(kind: string, name: string, value: unknown, conversion: ConversionKind): void {
  const { above = -Infinity, whole } = ownValue(conversion.parameters, name) ?? {}
  const isNumber = typeof value === 'number' && Number.isFinite(value)
  if (isNumber && value > above && (whole === undefined || Number.isInteger(value))) return
  const range = above === -Infinity ? '' : ` above ${above}`
  const noun = whole === undefined ? 'finite number' : 'whole number'
  refuse(`parameter ${name} of ${kind} is ${show(value)}, expected a ${noun}${range}`)
}

function checkKey(kind: string, name: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return
  refuse(`parameter ${name} of ${kind} is ${show(value)}, expected the key of a raw item`)
}

function checkNeeds(
  kind: string,
  { parameters }: ConversionKind,
  given: GivenParameters,
  known: string,
): void {
  for (const [name, { default: preset, optional, neededWith }] of Object.entries(parameters)) {
    if (Object.hasOwn(given, name) || optional) continue
    if (preset === undefined) refuse(`${kind} needs parameter ${name}, ${known}`)
    if (neededWith !== undefined && Object.hasOwn(given, neededWith) && given[neededWith] !== 0) {
      refuse(`${kind} needs parameter ${name} beside ${neededWith}, ${known}`)
    }
  }
}

function refuse(sentence: string): never {
  throw new RefusedError('invalid', sentence)
}
