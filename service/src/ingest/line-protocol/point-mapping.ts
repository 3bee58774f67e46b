import type { Replacement } from '@plumbline/contract'
import type { LineProtocolSettings } from '../../config/line-protocol-settings.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import { flagReader, refuseIdleFlags, type SentQuality } from '../records/sent-flags.ts'
import { withUnits } from '../records/values-in-units.ts'
import type { Point } from './point-scanner.ts'

export type Precision = 'ns' | 'us' | 'ms' | 's'

/** The raw record of a point and what it replaces, or the sentence that says why there is none. */
type PointRecord =
  | {
      record: { sensor: string; time: number; values: unknown; quality?: unknown }
      replace: Replacement
    }
  | { problem: string }

export type ReadPoint = (point: Point, precision: Precision, receivedAt: number) => PointRecord

/** Compiles mappings: the first that matches a measurement reads it; without mappings the tag `sensor` is read. */
export function compilePointMappings(settings: readonly LineProtocolSettings[]): ReadPoint {
  const mappings = settings.length === 0 ? [compile({})] : settings.map(compileEntry)
  return (point, precision, receivedAt) => {
    const mapping = mappings.find(({ matches }) => matches(point.measurement))
    if (mapping === undefined)
      return {
        problem: `the settings have no entry for the measurement ${show(point.measurement)}`,
      }
    const sensor = mapping.sensor(point)
    if (typeof sensor !== 'string') return sensor
    const time = point.timestamp === undefined ? receivedAt : toInstant(point.timestamp, precision)
    const sent = mapping.quality(point)
    if ('problem' in sent) return sent
    const quality = sent.quality === undefined ? {} : { quality: sent.quality }
    const record = { sensor, time, values: mapping.values(point), ...quality }
    return { record, replace: mapping.replace }
  }
}

function compileEntry(settings: LineProtocolSettings, at: number): ReturnType<typeof compile> {
  try {
    return compile(settings)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    throw new RefusedError('invalid', `ingest.lineProtocol[${at}]: ${error.message}`)
  }
}

function compile({
  measurement,
  sensor = '{sensor}',
  sensors,
  items,
  units: unitTexts,
  booleans,
  quality,
  replace = 'keys',
  ...flagSettings
}: LineProtocolSettings) {
  if (sensor === '') throw new RefusedError('invalid', 'sensor must not be empty')
  const parts = sensor.split(/\{([^{}]*)\}/)
  const aliases = new Map(Object.entries(sensors ?? {}))
  const keys = new Map(Object.entries(items ?? {}))
  const units = new Map(Object.entries(unitTexts ?? {}))
  if (quality === undefined) refuseIdleFlags(flagSettings, 'quality')
  const readFlag = flagReader(flagSettings)
  return {
    replace,
    matches: (name: string) => measurement === undefined || measurement === name,
    sensor(point: Point): string | { problem: string } {
      const tag = (name: string) =>
        name === 'measurement' ? point.measurement : point.tags.get(name)
      const missing = parts.find((name, at) => at % 2 === 1 && tag(name) === undefined)
      if (missing !== undefined) return { problem: `the point has no tag ${show(missing)}` }
      const name = parts.map((part, at) => (at % 2 === 0 ? part : tag(part))).join('')
      return aliases.get(name) ?? name
    },
    quality: ({ fields, tags }: Point): SentQuality =>
      quality === undefined
        ? { quality: undefined }
        : readFlag(fields.get(quality) ?? tags.get(quality)),
    values({ fields }: Point): unknown {
      const values: Record<string, unknown> = Object.create(null)
      for (const [field, value] of fields) {
        if (field === quality) continue
        const key = keys.get(field) ?? field
        if (key === '') continue
        values[key] = typeof value === 'boolean' && booleans === 'numbers' ? Number(value) : value
      }
      return withUnits(values, units)
    },
  }
}

/** Milliseconds of a timestamp in each unit. */
const UNITS: Readonly<Record<Precision, (value: bigint) => bigint>> = {
  ns: (value) => floorDivide(value, 1_000_000n),
  us: (value) => floorDivide(value, 1000n),
  ms: (value) => value,
  s: (value) => value * 1000n,
}

export const isPrecision = (text: string): text is Precision => Object.hasOwn(UNITS, text)

/** Rounded down to milliseconds. */
const toInstant = (timestamp: bigint, precision: Precision): number =>
  Number(UNITS[precision](timestamp))

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient
}
