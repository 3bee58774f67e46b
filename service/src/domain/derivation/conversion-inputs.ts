import { findConversion } from './conversion.ts'
import type { ConversionInputs, ConversionSettings } from '../site/site-entry.ts'

/**
 * What a conversion reads: once, or with `combine` once for each value that is combined.
 *
 * Entries without `inputs` keep the raw keys among the parameters, all of them of their sensor.
 */
export function inputsOf(settings: ConversionSettings): readonly ConversionInputs[] {
  if (settings.inputs !== undefined) return settings.inputs
  const { kind, sensor, parameters } = settings
  const names = Object.keys(findConversion(kind)?.inputs ?? {})
  const inputs = names.map((name) => [name, { sensor, key: keyOf(parameters, name) }] as const)
  return [Object.fromEntries(inputs)]
}

/** The sensors that a conversion reads, each once. */
export function sensorsOf(settings: ConversionSettings): string[] {
  const inputs = inputsOf(settings).flatMap((one) => Object.values(one))
  return [...new Set(inputs.map(({ sensor }) => sensor))]
}

/** The parameters without the raw keys that entries without `inputs` keep among them. */
export function parametersOf(settings: ConversionSettings): Record<string, number | string> {
  const { kind, parameters, inputs } = settings
  if (inputs !== undefined) return parameters
  const names = findConversion(kind)?.inputs ?? {}
  const kept = Object.entries(parameters).filter(([name]) => !Object.hasOwn(names, name))
  return Object.fromEntries(kept)
}

function keyOf(parameters: ConversionSettings['parameters'], name: string): string {
  const given = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  return typeof given === 'string' ? given : name
}
