import { inputsOf, parametersOf } from './conversion-inputs.ts'
import { inputNames, prepareConversion } from './conversion.ts'
import type { Compute } from './conversions/conversion-kind.ts'
import type { Zone } from '../time/local-time.ts'
import type { StoredMark } from '../quality/qualified-values.ts'
import { showQuality } from '../quality/quality-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { roundToPrecision } from './rounding.ts'
import type { Combination, ConversionSettings } from '../site/site-entry.ts'

/** A conversion of a station's item, prepared once for many records. */
export type Derivation = Readonly<{
  settings: ConversionSettings
  /** The precision of the item. */
  precision: number
  /** The instant from which it applies: `validFrom` in the structure's zone, or -Infinity. */
  since: number
  /** The values to compute: more than one with `combine`. */
  terms: readonly Term[]
  /** Why it has no value, such as an unknown kind that a newer version stored. */
  fault?: string
}>

/** Returns the raw value that belongs to the record; undefined without one. */
export type RawLookup = (sensor: string, key: string) => number | undefined

/** A derived value with its raw values and parameters, or the reason why there is none. */
export type DerivedItem = {
  /** Rounded to one digit finer than the precision of the item. */
  value?: number
  unrounded?: number
  /** The reason why there is no value. */
  absent?: string
  kind: string
  parameters: Record<string, number | string>
  validFrom: string | null
  combine?: Combination
  inputs: DerivedInput[]
}

/** `quality`: that of a raw value that is not simply good; a bad one is no `value`. */
export type DerivedInput = {
  name: string
  sensor: string
  key: string
  value?: number
  quality?: StoredMark
}

/** Returns the mark of the raw value that belongs to the record; undefined for a good one. */
export type MarkLookup = (sensor: string, key: string) => StoredMark | undefined

type TermInput = Readonly<{ name: string; sensor: string; key: string }>
/** `values` is reused for each record, to avoid an allocation. */
type Term = Readonly<{
  inputs: readonly TermInput[]
  values: Record<string, number>
  compute: Compute
}>

/** Prepares a conversion. Settings that are refused have a `fault`. */
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

/** Returns the derivation of an item that applies at `time`: the one with the latest start. */
export function derivationInForce(
  derivations: readonly Derivation[],
  time: number,
): Derivation | undefined {
  let found: Derivation | undefined
  for (const derivation of derivations)
    if (derivation.since <= time && derivation.since >= (found?.since ?? -Infinity))
      found = derivation
  return found
}

/** Computes the value before rounding; NaN without one. */
export function computeUnrounded({ settings, terms }: Derivation, lookup: RawLookup): number {
  const [first] = terms
  if (first === undefined) return NaN
  if (settings.combine === undefined) return computeTerm(first, lookup)
  return COMBINE[settings.combine](terms.map((term) => computeTerm(term, lookup)))
}

/** Computes the value, rounded to one digit finer than the precision; undefined without one. */
export function deriveValue(derivation: Derivation, lookup: RawLookup): number | undefined {
  const unrounded = computeUnrounded(derivation, lookup)
  return Number.isFinite(unrounded) ? roundToPrecision(unrounded, derivation.precision) : undefined
}

/** Computes the value of `deriveValue` with its origin. */
export function deriveItem(
  derivation: Derivation,
  lookup: RawLookup,
  markOf: MarkLookup = () => undefined,
): DerivedItem {
  const { settings, precision, terms, fault } = derivation
  const { kind, validFrom, combine } = settings
  const inputs = terms.flatMap(({ inputs }) => inputs.map((one) => trace(one, lookup, markOf)))
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

/** Combines the values of several sensors; NaN if one of them is. */
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

function trace(input: TermInput, lookup: RawLookup, markOf: MarkLookup): DerivedInput {
  const { sensor, key } = input
  const [value, quality] = [lookup(sensor, key), markOf(sensor, key)]
  return {
    ...input,
    ...(value === undefined ? {} : { value }),
    ...(quality === undefined ? {} : { quality }),
  }
}

function whyAbsent(inputs: readonly DerivedInput[]): string {
  const missing = inputs.filter(({ value }) => value === undefined)
  if (missing.length === 0) return 'the result is not a finite number'
  return missing.map(whyMissing).join('; ')
}

function whyMissing({ sensor, key, quality }: DerivedInput): string {
  if (quality?.quality !== 'bad') return `sensor ${sensor} has no value of ${key}`
  return `sensor ${sensor}: value of ${key} is ${showQuality(quality)}`
}

/** A time that does not exist never applies. */
function startOf({ validFrom }: ConversionSettings, zone: Zone): number {
  return validFrom === null ? -Infinity : (zone.toInstant(validFrom) ?? Infinity)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
