import { zone } from '../domain/local-time.ts'
import type { ConversionSettings, FactorEntry } from '../domain/site-entry.ts'
import { checkParameters, resolveInputs } from './conversion-inputs.ts'
import { ConversionProblem } from './conversion-problem.ts'
import {
  canonicalUuid,
  type ConversionPart,
  type DevicePart,
  type SourcePart,
} from './file-parts.ts'
import { didYouMeanOr } from './near-miss.ts'
import { findSensorClash } from './one-sensor.ts'
import type { SitePath } from './site-file-error.ts'

/** A problem with its place below the station's `from`. */
export type SourceProblem = { path: SitePath; message: string }

/**
 * The conversions of a station with everything that was left out: the item, the sensor, and the
 * raw key of every input. What cannot be told is a problem.
 */
export function resolveConversions(
  { sensors, conversion }: SourcePart,
  factor: FactorEntry,
  devices: ReadonlyMap<string, DevicePart>,
): { conversions: ConversionSettings[]; problems: SourceProblem[] } {
  const conversions: ConversionSettings[] = []
  const problems: SourceProblem[] = []
  const held = new Set<string>()
  const parts = Array.isArray(conversion)
    ? conversion
    : conversion === undefined
      ? []
      : [conversion]
  for (const [index, part] of parts.entries()) {
    const path = Array.isArray(conversion) ? ['conversion', index] : ['conversion']
    try {
      const resolved = resolve(part, sensors.map(canonicalUuid), factor, devices)
      const { item, validFrom } = resolved
      const time = validFrom === null ? 'always' : `from ${validFrom}`
      if (held.has(`${item} ${time}`)) {
        throw new ConversionProblem([], `${item} has a conversion that holds ${time} already`)
      }
      held.add(`${item} ${time}`)
      conversions.push(resolved)
    } catch (error) {
      if (!(error instanceof ConversionProblem)) throw error
      problems.push({ path: [...path, ...error.path], message: error.message })
    }
  }
  const clash = findSensorClash(conversions)
  if (clash !== undefined) problems.push({ path: ['conversion'], message: clash })
  return { conversions, problems }
}

function resolve(
  part: ConversionPart,
  sensors: readonly string[],
  factor: FactorEntry,
  devices: ReadonlyMap<string, DevicePart>,
): ConversionSettings {
  const { kind, item: givenItem, sensor: givenSensor, validFrom = null, ...parameters } = part
  checkParameters(kind, parameters)
  // A local time that a zone skips still means an instant; only the day may not exist.
  if (validFrom !== null && zone('UTC').toInstant(validFrom) === undefined) {
    throw new ConversionProblem(['validFrom'], `there is no day ${validFrom.slice(0, 10)}`)
  }
  const sensor = canonicalUuid(givenSensor ?? sensors[0] ?? '')
  const device = devices.get(sensor)
  if (!sensors.includes(sensor) || device === undefined) {
    throw new ConversionProblem(['sensor'], `${sensor} is not one of the sensors of this station`)
  }
  const rawKeys = (device.items ?? []).map(({ key }) => key)
  const item = resolveItem(givenItem, factor, namedKeys(parameters) ?? rawKeys)
  const inputs = resolveInputs({ kind, parameters, item, rawKeys, sender: device.name })
  return { kind, item, sensor, validFrom, parameters: { ...parameters, ...inputs } }
}

/** The raw keys that the parameters name; undefined when they name none. */
function namedKeys(parameters: Record<string, number | string>): string[] | undefined {
  const keys = Object.values(parameters).filter((value) => typeof value === 'string')
  return keys.length === 0 ? undefined : keys
}

/** The item that is named, the factor's only one, or the one whose key is that of the raw value. */
function resolveItem(
  given: string | undefined,
  { id, items }: FactorEntry,
  rawKeys: readonly string[],
): string {
  const keys = items.map(({ key }) => key)
  if (given !== undefined) {
    if (keys.includes(given)) return given
    const hint = didYouMeanOr(given, keys)
    throw new ConversionProblem(['item'], `factor ${id} has no item ${given}${hint}`)
  }
  const [only, ...others] = keys.length === 1 ? keys : keys.filter((key) => rawKeys.includes(key))
  if (only !== undefined && others.length === 0) return only
  throw new ConversionProblem([], `item is missing: factor ${id} has ${keys.join(', ')}`)
}
