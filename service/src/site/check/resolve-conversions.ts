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

/** A problem with its path within `from` of a station. */
type SourceProblem = { path: ValuePath; message: string }

/**
 * The conversions of a station with item, sensor and raw keys also where the file leaves them out.
 * What cannot be found is a problem.
 */
export function resolveConversions(
  { sensors, conversion }: SourcePart,
  factor: FactorEntry,
  devices: ReadonlyMap<string, DevicePart>,
): { conversions: ConversionSettings[]; problems: SourceProblem[] } {
  const conversions: ConversionSettings[] = []
  const problems: SourceProblem[] = []
  const periods = new Set<string>()
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
      const time = validFrom === null ? 'without validFrom' : `from ${validFrom}`
      if (periods.has(`${item} ${time}`)) {
        throw new ConversionProblem([], `${item} already has a conversion ${time}`)
      }
      periods.add(`${item} ${time}`)
      conversions.push(resolved)
    } catch (error) {
      if (!(error instanceof ConversionProblem)) throw error
      problems.push({ path: [...path, ...error.path], message: error.message })
    }
  }
  return { conversions, problems }
}

type Senders = ReadonlyMap<string, Sender>

/** The sensors of a conversion, at least one. */
type OwnSenders = [first: Sender, ...others: Sender[]]

/** The sensors of a station by their ids. */
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
  const { kind, item: itemKey, sensor, validFrom = null, combine, ...parameters } = part
  checkParameters(kind, parameters)
  // A local time that a zone skips means an instant, so only the day can be wrong.
  if (validFrom !== null && zone('UTC').toInstant(validFrom) === undefined) {
    throw new ConversionProblem(['validFrom'], `there is no day ${validFrom.slice(0, 10)}`)
  }
  const named = namedInputs({ kind, parameters }, senders)
  const own = combine === undefined ? findSender(sensor, senders) : combinedSenders(part, senders)
  const [first] = own
  const keys = [...named.values()].map(({ key }) => key)
  const item = resolveItem(itemKey, factor, keys.length === 0 ? first.keys : keys)
  const inputs = own.map((sender) =>
    resolveInputs({ kind, parameters, named, item, sender, senders }),
  )
  const numbersAndTexts = Object.entries(parameters).filter(([name]) => !named.has(name))
  return {
    kind,
    item,
    sensor: first.id,
    validFrom,
    parameters: Object.fromEntries(numbersAndTexts),
    inputs,
    ...(combine === undefined ? {} : { combine }),
  }
}

/** The sensor that the conversion names, or the first one of the station. */
function findSender(named: string | undefined, senders: Senders): OwnSenders {
  const id = canonicalUuid(named ?? [...senders.keys()][0] ?? '')
  const sender = senders.get(id)
  if (sender !== undefined) return [sender]
  throw new ConversionProblem(['sensor'], `${id} is not one of the sensors of this station`)
}

/** The sensors whose results are combined: all except those that a parameter names. */
function combinedSenders(
  { combine, sensor, ...part }: ConversionPart,
  senders: Senders,
): OwnSenders {
  if (sensor !== undefined) {
    const message = `combine: ${combine} reads every sensor of the station, expected no sensor here`
    throw new ConversionProblem(['sensor'], message)
  }
  const texts = Object.values(part).map((value) => canonicalUuid(String(value)))
  const isNamed = ({ id }: Sender) => texts.some((text) => text.startsWith(`${id}/`))
  const [first, ...others] = [...senders.values()].filter((sender) => !isNamed(sender))
  if (first !== undefined) return [first, ...others]
  const message = 'every sensor of the station is named by a parameter, and none is left to combine'
  throw new ConversionProblem(['combine'], message)
}

/** The item that the conversion names, the only one of the factor, or the one with a raw key. */
function resolveItem(
  named: string | undefined,
  { id, items }: FactorEntry,
  rawKeys: readonly string[],
): string {
  const keys = items.map(({ key }) => key)
  if (named !== undefined) {
    if (keys.includes(named)) return named
    const hint = didYouMeanOr(named, keys)
    throw new ConversionProblem(['item'], `factor ${id} has no item ${named}${hint}`)
  }
  const [only, ...others] = keys.length === 1 ? keys : keys.filter((key) => rawKeys.includes(key))
  if (only !== undefined && others.length === 0) return only
  throw new ConversionProblem([], `item is missing: factor ${id} has ${keys.join(', ')}`)
}
