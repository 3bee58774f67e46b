import type { ConversionSettings, StationEntry } from '../../domain/site/site-entry.ts'
import type { ConversionPart, SourcePart } from '../file/file-parts.ts'

type StationSource = NonNullable<StationEntry['from']>

/** Members of a conversion that are no parameters. */
const OWN_MEMBERS = new Set(['kind', 'item', 'sensor', 'validFrom', 'combine'])

/** The `from` of a station, with the raw value of each input by name. */
export function unflattenSource({ sensors, alignSeconds, conversions }: StationSource): SourcePart {
  const [first, ...others] = conversions.map((conversion) =>
    unflattenConversion(conversion, sensors),
  )
  return {
    sensors,
    ...(alignSeconds === undefined ? {} : { alignSeconds }),
    ...(first === undefined
      ? {}
      : { conversion: others.length === 0 ? first : [first, ...others] }),
  }
}

function unflattenConversion(
  settings: ConversionSettings,
  sensors: readonly string[],
): ConversionPart {
  const { kind, item, sensor, validFrom, combine, parameters } = settings
  return {
    kind,
    item,
    ...(combine !== undefined || sensor === sensors[0] ? {} : { sensor }),
    ...(validFrom === null ? {} : { validFrom }),
    ...(combine === undefined ? {} : { combine }),
    ...parameters,
    ...namedInputs(settings),
  }
}

const STARTS_WITH_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\//i

/**
 * The raw keys of a conversion by its inputs: a key alone is read from the conversion's own sensor. An
 * input with the name of another member was found by its name, and is found so again.
 */
function namedInputs({ sensor, combine, inputs = [] }: ConversionSettings): Record<string, string> {
  const [first = {}] = inputs
  const named = Object.entries(first)
    .filter(([name]) => !OWN_MEMBERS.has(name))
    .map(([name, input]) => {
      const isOwn = input.sensor === sensor
      const isPlain = isOwn && (combine !== undefined || !STARTS_WITH_UUID.test(input.key))
      return [name, isPlain ? input.key : `${input.sensor}/${input.key}`] as const
    })
  return Object.fromEntries(named)
}
