import { findConversion } from './conversion.ts'
import { ownValue } from './own-value.ts'
import type { ConversionInputs, ConversionSettings } from '../site/site-entry.ts'

/**
 * Returns the inputs of a conversion; with `combine` there is one set for each combined value.
 *
 * Entries without `inputs` have the raw keys of their sensor among the parameters.
 */
export function inputsOf(settings: ConversionSettings): readonly ConversionInputs[] {
  if (settings.inputs !== undefined) return settings.inputs
  const { kind, sensor, parameters } = settings
  const names = Object.keys(findConversion(kind)?.inputs ?? {})
  const inputs = names.map((name) => [name, { sensor, key: keyOf(parameters, name) }] as const)
  return [Object.fromEntries(inputs)]
}

/** Returns the sensors that a conversion reads, each once. */
export function sensorsOf(settings: ConversionSettings): string[] {
  const inputs = inputsOf(settings).flatMap((one) => Object.values(one))
  return [...new Set(inputs.map(({ sensor }) => sensor))]
}

/** Returns the parameters without the raw keys that entries without `inputs` have among them. */
export function parametersOf(settings: ConversionSettings): Record<string, number | string> {
  const { kind, parameters, inputs } = settings
  if (inputs !== undefined) return parameters
  const names = findConversion(kind)?.inputs ?? {}
  const kept = Object.entries(parameters).filter(([name]) => !Object.hasOwn(names, name))
  return Object.fromEntries(kept)
}

function keyOf(parameters: ConversionSettings['parameters'], name: string): string {
  const given = ownValue(parameters, name)
  return typeof given === 'string' ? given : name
}
