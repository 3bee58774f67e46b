import { zone } from '../../domain/time/local-time.ts'
import type { ConversionSettings, FactorEntry } from '../../domain/site/site-entry.ts'
import { checkParameters, namedInputs, resolveInputs, type Sender } from './conversion-inputs.ts'
import { ConversionProblem } from './conversion-problem.ts'
import {
  canonicalUuid,
  type ConversionPart,
  type DevicePart,
  type SourcePart,
} from '../file/file-parts.ts'
import { didYouMeanOr } from '../../schemas/near-miss.ts'
import type { ValuePath } from '../../schemas/value-path.ts'

/** A problem with its place below the station's `from`. */
export type SourceProblem = { path: ValuePath; message: string }

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
  const senders = sendersOf(sensors, devices)
  const parts = Array.isArray(conversion)
    ? conversion
    : conversion === undefined
      ? []
      : [conversion]
  for (const [index, part] of parts.entries()) {
    const path = Array.isArray(conversion) ? ['conversion', index] : ['conversion']
    try {
      const resolved = resolve(part, senders, factor)
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
  return { conversions, problems }
}

type Senders = ReadonlyMap<string, Sender>

/** What the sensors of a station send, by their ids. */
function sendersOf(
  sensors: readonly string[],
  devices: ReadonlyMap<string, DevicePart>,
): Map<string, Sender> {
  const senders = new Map<string, Sender>()
  for (const id of sensors.map(canonicalUuid)) {
    const device = devices.get(id)
    if (device === undefined) continue
    senders.set(id, { id, name: device.name, keys: (device.items ?? []).map(({ key }) => key) })
  }
  return senders
}

function resolve(part: ConversionPart, senders: Senders, factor: FactorEntry): ConversionSettings {
  const { kind, item: givenItem, sensor, validFrom = null, combine, ...parameters } = part
  checkParameters(kind, parameters)
  // A local time that a zone skips still means an instant; only the day may not exist.
  if (validFrom !== null && zone('UTC').toInstant(validFrom) === undefined) {
    throw new ConversionProblem(['validFrom'], `there is no day ${validFrom.slice(0, 10)}`)
  }
  const named = namedInputs({ kind, parameters }, senders)
  const own = combine === undefined ? [findSender(sensor, senders)] : combined(part, senders)
  const [first] = own as [Sender, ...Sender[]]
  const keys = [...named.values()].map(({ key }) => key)
  const item = resolveItem(givenItem, factor, keys.length === 0 ? first.keys : keys)
  const inputs = own.map((sender) =>
    resolveInputs({ kind, parameters, named, item, sender, senders }),
  )
  const kept = Object.entries(parameters).filter(([name]) => !named.has(name))
  return {
    kind,
    item,
    sensor: first.id,
    validFrom,
    parameters: Object.fromEntries(kept),
    inputs,
    ...(combine === undefined ? {} : { combine }),
  }
}

/** The sensor that is named, or the first of the station's. */
function findSender(given: string | undefined, senders: Senders): Sender {
  const id = canonicalUuid(given ?? [...senders.keys()][0] ?? '')
  const sender = senders.get(id)
  if (sender !== undefined) return sender
  throw new ConversionProblem(['sensor'], `${id} is not one of the sensors of this station`)
}

/** The sensors whose values are combined: all but those that a parameter names for all of them. */
function combined({ combine, sensor, ...part }: ConversionPart, senders: Senders): Sender[] {
  if (sensor !== undefined) {
    const message = `combine: ${combine} reads every sensor of the station, expected no sensor here`
    throw new ConversionProblem(['sensor'], message)
  }
  const texts = Object.values(part).map((value) => canonicalUuid(String(value)))
  const isNamed = ({ id }: Sender) => texts.some((text) => text.startsWith(`${id}/`))
  const own = [...senders.values()].filter((sender) => !isNamed(sender))
  if (own.length > 0) return own
  const message = 'every sensor of the station is named by a parameter, and none is left to combine'
  throw new ConversionProblem(['combine'], message)
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
