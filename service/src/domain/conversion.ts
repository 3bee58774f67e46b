import type { ConversionKind } from './conversions/conversion-kind.ts'
import { linear } from './conversions/linear.ts'
import { vibratingWireStrain } from './conversions/vibrating-wire-strain.ts'
import { RefusedError } from './refused-error.ts'
import type { ConversionSettings } from './site-entry.ts'

/** The built-in conversions by the `kind` of a site file. */
export const CONVERSIONS = Object.freeze({
  linear,
  vibratingWireStrain,
} satisfies Record<string, ConversionKind>)

/** The conversion of a kind; undefined for a name that is none. */
export function findConversion(kind: string): ConversionKind | undefined {
  return Object.hasOwn(CONVERSIONS, kind)
    ? CONVERSIONS[kind as keyof typeof CONVERSIONS]
    : undefined
}

/** Refuses an unknown kind and parameters that are unknown, missing or of the wrong type. */
export function checkConversion(settings: Pick<ConversionSettings, 'kind' | 'parameters'>): void {
  const { kind, parameters: given } = settings
  const conversion = findConversion(kind)
  if (conversion === undefined) {
    const kinds = Object.keys(CONVERSIONS).join(', ')
    return refuse(`unknown conversion ${JSON.stringify(kind)}, known are ${kinds}`)
  }

  const { parameters, inputs } = conversion
  const known = `known are ${[...Object.keys(parameters), ...Object.keys(inputs)].join(', ')}`
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(parameters, name)) checkNumber(kind, name, value)
    else if (Object.hasOwn(inputs, name)) checkKey(kind, name, value)
    else refuse(`${kind} has no parameter ${JSON.stringify(name)}, ${known}`)
  }
  for (const [name, { default: preset, neededWith }] of Object.entries(parameters)) {
    if (Object.hasOwn(given, name)) continue
    if (preset === undefined) refuse(`${kind} needs parameter ${name}, ${known}`)
    if (neededWith !== undefined && Object.hasOwn(given, neededWith) && given[neededWith] !== 0) {
      refuse(`${kind} needs parameter ${name} beside ${neededWith}, ${known}`)
    }
  }
}

function checkNumber(kind: string, name: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value)) return
  refuse(`parameter ${name} of ${kind} is ${JSON.stringify(value)}, expected a finite number`)
}

function checkKey(kind: string, name: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return
  refuse(`parameter ${name} of ${kind} is ${JSON.stringify(value)}, expected the key of a raw item`)
}

function refuse(sentence: string): never {
  throw new RefusedError('invalid', sentence)
}
