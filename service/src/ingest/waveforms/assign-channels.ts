import { formatTrigger } from '../../domain/vibration/trigger.ts'
import { describeMismatch, findConversion } from '../../domain/units/units.ts'
import { invalid, type Waveform } from '../../domain/waveforms/waveform.ts'
import { show } from '../../errors/show.ts'
import { convertSamples, type WaveformUnit } from './station-unit.ts'

/** The station of a channel, with the factor, the unit of its values after it and that of the station. */
type ChannelTarget = {
  station: unknown
  scale?: number | undefined
  unit?: string | undefined
  /** The unit in which the station stores waveforms; undefined where it has none. */
  stationUnit?: string | undefined
}

/** How the waveforms of a file are stored, with what the file does not say itself. */
export type ChannelPlan = {
  /** Channels by name, or by position in the file, from 1. */
  channels: readonly (ChannelTarget & { channel: string | number })[]
  /** Whether the file is one of several that have the channels together: it may lack some. */
  isPart?: boolean | undefined
  /** Instead of `channels`: the target of the only channel of a file. */
  only?: ChannelTarget | undefined
  /** The time of the first sample, in any form that ingest reads. */
  collectTime?: unknown
  sampleHz?: number | undefined
  unit?: string | undefined
  /** The expected number of samples of each waveform. */
  count?: number | undefined
}

/** A waveform as ingest takes it, with its channel. */
export type PlannedWaveform = {
  channel: string
  station: unknown
  collectTime: unknown
  sampleFreq: number
  unit: string
  samples: Float64Array
}

/** The waveforms of a file that have a station. */
export type AssignedChannels<Planned = PlannedWaveform> = {
  planned: Planned[]
  /** The channels of the file without a station. */
  unmapped: string[]
  /** The channels of the plan that the file lacks, by their indexes. */
  absent: number[]
}

/**
 * Assigns the channels of a file to stations.
 *
 * Throws a `RefusedError` for a channel that the file does not have, for a time or unit that neither
 * file nor plan has, and where file and plan contradict each other.
 */
export function assignChannels(
  waveforms: readonly Waveform[],
  plan: ChannelPlan,
): AssignedChannels {
  const names = [...new Set(waveforms.map(({ channel }) => channel))]
  const absent: number[] = []
  const targets =
    plan.only === undefined ? findTargets(names, plan, absent) : onlyTarget(names, plan.only)
  const planned = waveforms.flatMap((waveform) => {
    const target = targets.get(waveform.channel)
    return target === undefined ? [] : [toPlanned(waveform, target, plan)]
  })
  refuseCollisions(planned)
  return { planned, unmapped: names.filter((name) => !targets.has(name)), absent }
}

type ChannelTargets = Map<string, ChannelTarget>

function onlyTarget(names: readonly string[], target: ChannelTarget): ChannelTargets {
  const [name] = names
  if (name === undefined) throw invalid('the file has no waveform')
  if (names.length === 1) return new Map([[name, target]])
  throw invalid(
    `the file has ${names.length} channels (${list(names)}), expected "channels" to say which goes to which station`,
  )
}

function findTargets(
  names: readonly string[],
  { channels, isPart = false }: ChannelPlan,
  absent: number[],
): ChannelTargets {
  const targets: ChannelTargets = new Map()
  for (const [index, { channel, ...target }] of channels.entries()) {
    const name = findChannel(names, channel)
    if (name === undefined) {
      if (!isPart)
        throw invalid(`the file has no channel ${show(channel)}, expected one of ${list(names)}`)
      absent.push(index)
      continue
    }
    if (targets.has(name)) throw invalid(`channel ${show(name)} is mapped a second time`)
    targets.set(name, target)
  }
  return targets
}

/** By its name, by its name with another spelling of an empty location, or by its number. */
function findChannel(names: readonly string[], channel: string | number): string | undefined {
  const given = String(channel)
  if (names.includes(given)) return given
  const plain = withoutDashes(given)
  return names.find((name) => withoutDashes(name) === plain) ?? names[Number(channel) - 1]
}

/** SEED programs write `--` for a location of blanks. */
const withoutDashes = (name: string): string =>
  name.replace(/^([^.]*\.[^.]*)\.--\.([^.]*)$/, '$1..$2')

function toPlanned(waveform: Waveform, target: ChannelTarget, plan: ChannelPlan): PlannedWaveform {
  const { channel, sampleHz, samples } = waveform
  const place = `channel ${show(channel)}`
  if (plan.sampleHz !== undefined && plan.sampleHz !== sampleHz)
    throw invalid(
      `${place}: the sampling frequency in the file is ${sampleHz} Hz, but "sampleFreq" is ${plan.sampleHz}`,
    )
  if (plan.count !== undefined && plan.count !== samples.length)
    throw invalid(`${place} has ${samples.length} samples, "count" says ${plan.count}`)
  const collectTime = timeOf(waveform, plan, place)
  const { unit, conversion } = storedUnit(unitOf(waveform, target, plan, place), target, place)
  return {
    channel,
    station: target.station,
    collectTime,
    sampleFreq: sampleHz,
    unit,
    samples: convertSamples(scaled(samples, target.scale), conversion),
  }
}

/** The unit of the station, where samples in the given unit convert to it. */
function storedUnit(
  unit: string,
  { station, stationUnit }: ChannelTarget,
  place: string,
): WaveformUnit {
  if (stationUnit === undefined) return { unit }
  const conversion = findConversion(unit, stationUnit)
  if (conversion === 'same') return { unit }
  if (conversion !== undefined) return { unit: stationUnit, conversion }
  throw invalid(
    `${place}: the unit of the samples is not that of station ${show(station)}: ${describeMismatch(unit, stationUnit)}`,
  )
}

function timeOf({ start }: Waveform, { collectTime }: ChannelPlan, place: string): unknown {
  if (start === undefined) {
    if (collectTime !== undefined) return collectTime
    throw invalid(`${place}: the file does not say when it begins, expected "collectTime"`)
  }
  const { milliseconds, nanoseconds } = start
  if (collectTime === undefined) return formatTrigger({ time: milliseconds, nanoseconds })
  const own = formatTrigger({ time: milliseconds, nanoseconds })
  throw invalid(`${place}: the file says that it begins at ${own}, leave "collectTime" out`)
}

function unitOf(
  { unit }: Waveform,
  { scale, unit: own }: ChannelTarget,
  plan: ChannelPlan,
  place: string,
): string {
  const given = own ?? plan.unit
  if (given === undefined) {
    if (unit !== '') return unit
    throw invalid(`${place}: the file does not say its unit, expected "unit"`)
  }
  if (unit === '' || scale !== undefined || findConversion(unit, given) === 'same') return given
  throw invalid(`${place}: the unit in the file is ${show(unit)}, but "unit" is ${show(given)}`)
}

function scaled(samples: Waveform['samples'], scale: number | undefined): Float64Array {
  const doubles = samples instanceof Float64Array ? samples : new Float64Array(samples)
  return scale === undefined || scale === 1 ? doubles : doubles.map((sample) => sample * scale)
}

/** Of two waveforms of the same station and time the later one would replace the other. */
function refuseCollisions(planned: readonly PlannedWaveform[]): void {
  const seen = new Map<string, string>()
  for (const { channel, station, collectTime } of planned) {
    const key = JSON.stringify([station, collectTime])
    const other = seen.get(key)
    if (other !== undefined)
      throw invalid(
        `channels ${show(other)} and ${show(channel)} both begin at ${show(collectTime)} and go to station ${show(station)}, expected one of them`,
      )
    seen.set(key, channel)
  }
}

const MOST_NAMES = 50

const list = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMES).map(show).join(', ') + (names.length > MOST_NAMES ? ', …' : '')
