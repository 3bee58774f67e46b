import { inputsOf, parametersOf } from './conversion-inputs.ts'
import { inputNames, prepareConversion } from './conversion.ts'
import type { Compute } from './conversions/conversion-kind.ts'
import type { Zone } from '../time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { roundToPrecision } from './rounding.ts'
import type { Combination, ConversionSettings } from '../site/site-entry.ts'

/** One conversion of one station's item, prepared once for many records. */
export type Derivation = Readonly<{
  settings: ConversionSettings
  /** The precision of the item. */
  precision: number
  /** The instant from which it holds: `validFrom` in the zone of the structure, or -Infinity. */
  since: number
  /** What is computed, more than one only to be combined. */
  terms: readonly Term[]
  /** Why it never gives a value: what a newer version wrote may be unknown to this one. */
  fault?: string
}>

/** The value of a raw item that belongs to the record; undefined when there is none. */
export type RawLookup = (sensor: string, key: string) => number | undefined

/** A derived value with everything that it comes from, or why there is none. */
export type DerivedItem = {
  /** Rounded to one digit finer than the precision of the item. */
  value?: number
  unrounded?: number
  /** A sentence, in place of the value. */
  absent?: string
  kind: string
  parameters: Record<string, number | string>
  validFrom: string | null
  combine?: Combination
  inputs: DerivedInput[]
}

export type DerivedInput = { name: string; sensor: string; key: string; value?: number }

type TermInput = Readonly<{ name: string; sensor: string; key: string }>
/** `values` is filled anew for each record, so that none is made for it. */
type Term = Readonly<{
  inputs: readonly TermInput[]
  values: Record<string, number>
  compute: Compute
}>

/** Prepares a conversion. Settings that nothing can be computed with give a `fault`. */
export function prepareDerivation(
  settings: ConversionSettings,
  { precision, zone }: { precision: number; zone: Zone },
): Derivation {
  const common = { settings, precision, since: startOf(settings, zone) }
  try {
    return { ...common, terms: prepareTerms(settings) }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return { ...common, terms: [], fault: error.message }
  }
}

/** Of conversions of one item, the one with the latest start that is not after `time`. */
export function conversionInForce<One extends Pick<ConversionSettings, 'validFrom'>>(
  conversions: readonly One[],
  zone: Zone,
  time: number,
): One | undefined {
  return latest(conversions, time, (one) => startOf(one, zone))
}

/** The same of derivations, whose starts are known already. */
export function derivationInForce(
  derivations: readonly Derivation[],
  time: number,
): Derivation | undefined {
  return latest(derivations, time, startKnown)
}

/** The value before it is rounded; NaN for none. */
export function computeUnrounded({ settings, terms }: Derivation, lookup: RawLookup): number {
  const [first] = terms
  if (first === undefined) return NaN
  if (settings.combine === undefined) return computeTerm(first, lookup)
  return COMBINE[settings.combine](terms.map((term) => computeTerm(term, lookup)))
}

/** The value alone, rounded to one digit finer than the precision; undefined for none. */
export function deriveValue(derivation: Derivation, lookup: RawLookup): number | undefined {
  const unrounded = computeUnrounded(derivation, lookup)
  return Number.isFinite(unrounded) ? roundToPrecision(unrounded, derivation.precision) : undefined
}

/** The value, the same as `deriveValue` gives, and what it comes from. */
export function deriveItem(derivation: Derivation, lookup: RawLookup): DerivedItem {
  const { settings, precision, terms, fault } = derivation
  const { kind, validFrom, combine } = settings
  const inputs = terms.flatMap(({ inputs }) => inputs.map((one) => trace(one, lookup)))
  const origin = {
    kind,
    parameters: parametersOf(settings),
    validFrom,
    ...(combine === undefined ? {} : { combine }),
    inputs,
  }
  const unrounded = computeUnrounded(derivation, lookup)
  if (!Number.isFinite(unrounded)) return { absent: fault ?? whyAbsent(inputs), ...origin }
  return { value: roundToPrecision(unrounded, precision), unrounded, ...origin }
}

/** The values of several sensors as one; NaN as soon as one of them is. */
const COMBINE: Readonly<Record<Combination, (values: readonly number[]) => number>> = {
  mean: (values) => sum(values) / values.length,
  maximum: (values) => Math.max(...values),
  minimum: (values) => Math.min(...values),
  sum,
}

function prepareTerms(settings: ConversionSettings): Term[] {
  const choice = { kind: settings.kind, parameters: parametersOf(settings) }
  const compute = prepareConversion(choice)
  const names = inputNames(choice)
  return inputsOf(settings).map((places) => ({
    compute,
    values: Object.fromEntries(names.map((name) => [name, NaN])),
    inputs: Object.entries(places)
      .filter(([name]) => names.includes(name))
      .map(([name, { sensor, key }]) => ({ name, sensor, key })),
  }))
}

function computeTerm({ inputs, values, compute }: Term, lookup: RawLookup): number {
  for (const { name, sensor, key } of inputs) values[name] = lookup(sensor, key) ?? NaN
  return compute(values)
}

function trace(input: TermInput, lookup: RawLookup): DerivedInput {
  const value = lookup(input.sensor, input.key)
  return value === undefined ? { ...input } : { ...input, value }
}

function whyAbsent(inputs: readonly DerivedInput[]): string {
  const missing = inputs.filter(({ value }) => value === undefined)
  if (missing.length === 0) return 'the result is not a finite number'
  return missing.map(({ sensor, key }) => `sensor ${sensor} has no value of ${key}`).join('; ')
}

/** A time on a day that does not exist never comes. */
function startOf({ validFrom }: Pick<ConversionSettings, 'validFrom'>, zone: Zone): number {
  return validFrom === null ? -Infinity : (zone.toInstant(validFrom) ?? Infinity)
}

const startKnown = ({ since }: Derivation): number => since

function latest<One>(
  ones: readonly One[],
  time: number,
  startOf: (one: One) => number,
): One | undefined {
  let found: One | undefined
  let foundSince = -Infinity
  for (const one of ones) {
    const since = startOf(one)
    if (since > time || since < foundSince) continue
    found = one
    foundSince = since
  }
  return found
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
