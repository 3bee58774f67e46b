import { setImmediate } from 'node:timers/promises'
import type { IngestReport } from '@plumbline/contract'
import type { Catalogue, CatalogueStation } from '../../domain/site/catalogue.ts'
import { recordText } from '../../domain/records/record-text.ts'
import { roundToPrecision } from '../../domain/derivation/rounding.ts'
import { peakSummary, type PeakSummary } from '../../domain/vibration/peak-summary.ts'
import type { UnitConversion } from '../../domain/units/units.ts'
import { nanosecondsOf } from '../../domain/vibration/trigger.ts'
import type { WaveformPlace, NewWaveform } from '../../storage/storage.ts'
import { retryOnConflict } from '../../concurrency/retry.ts'
import type { NewRecord } from '../../commit/rows.ts'
import type { WaveformUnit } from '../../commit/unit-of-work.ts'
import type { IngestParts } from '../ingest-parts.ts'
import type { RecordOptions } from '../records/record-options.ts'
import { findInfinite, PreparedSamples } from './prepared-samples.ts'
import { rejectForeign, type BatchContext } from '../records/foreign-target.ts'
import { readTime } from '../records/read-time.ts'
import { isObject } from '../../json/is-object.ts'
import { UnreadableRecord } from '../../json/unreadable-record.ts'
import { show } from '../../errors/show.ts'
import { isRejection, type Rejection } from '../records/report.ts'
import type { StationValues } from './frequency-tracker.ts'
import { conversionOf, convertSamples, toItemUnit, toStationUnit } from './station-unit.ts'

/** A higher rate is a mistake: no accelerometer has it. */
const SAMPLE_HZ_MAXIMUM = 10_000_000

const UNIT_LENGTH = 64

export type VibrationParts = Pick<
  IngestParts,
  'catalogue' | 'clock' | 'commits' | 'early' | 'reader' | 'tracker' | 'targets'
> & { storage: Pick<IngestParts['storage'], 'waveforms'> }

/**
 * Stores waveforms, each with its theme record and those of the stations that track its frequencies,
 * in one commit for each waveform. Samples are a list of numbers, a `Float64Array` or
 * `PreparedSamples`.
 */
export async function ingestVibration(
  parts: VibrationParts,
  waveforms: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await parts.catalogue()
  const report: IngestReport = { accepted: 0, replaced: 0, rejected: [] }
  for (const [index, input] of waveforms.entries()) {
    const prepared = await parts.reader.prepare(input, conversionAt(input, catalogue))
    const read = readWaveform(prepared, contextOf(parts, catalogue))
    if (isRejection(read)) {
      report.rejected.push({ index, message: read.rejection })
      continue
    }
    add(report, await store(parts, catalogue, [await prepare(parts, read)]))
  }
  return report
}

/** Stores waveforms in one commit; when one of them is rejected, none is stored. */
export async function ingestVibrationTogether(
  parts: VibrationParts,
  waveforms: readonly unknown[],
  options: Pick<RecordOptions, 'change'> = {},
): Promise<IngestReport> {
  const catalogue = await parts.catalogue()
  const report: IngestReport = { accepted: 0, replaced: 0, rejected: [] }
  const read = waveforms.map((input) => readWaveform(input, contextOf(parts, catalogue)))
  for (const [index, one] of read.entries())
    if (isRejection(one)) report.rejected.push({ index, message: one.rejection })
  const ready: ReadyWaveform[] = []
  if (report.rejected.length > 0) return report
  for (const one of read) if (!isRejection(one)) ready.push(await prepare(parts, one))
  if (ready.length > 0) add(report, await store(parts, catalogue, ready, options))
  return report
}

const contextOf = ({ clock, targets }: VibrationParts, catalogue: Catalogue): BatchContext => ({
  catalogue,
  arrival: clock.arrive(),
  targets,
})

function add(report: IngestReport, places: readonly WaveformPlace[]): void {
  report.accepted += places.length
  for (const { isReplacement } of places) report.replaced += Number(isReplacement)
}

type ReadWaveform = { station: CatalogueStation; waveform: NewWaveform; summary(): PeakSummary }

/** A waveform, and the values of the stations whose records are computed from it. */
type ReadyWaveform = {
  waveform: NewWaveform
  values: readonly StationValues[]
  /** Stations without a frequency: their record of a replaced waveform is deleted. */
  withoutPeak: readonly number[]
}

/** Stores waveforms in one commit, with their station records; returns their places. */
async function store(
  { commits, storage: { waveforms }, early, clock }: VibrationParts,
  catalogue: Catalogue,
  ready: readonly ReadyWaveform[],
  options: Pick<RecordOptions, 'change'> = {},
): Promise<WaveformPlace[]> {
  const what = 'waveforms of the same second'
  const places = await retryOnConflict({ reasons: ['rows', 'places'], what }, async () => {
    const found = await waveforms.findPlaces(ready.map(({ waveform }) => waveform))
    const units = ready.flatMap((one, at) => {
      const place = found[at]
      return place === undefined ? [] : [unitAt(place, one)]
    })
    await commits.waveforms(catalogue, units, options)
    return found
  })
  const triggers = ready.map(({ waveform: { station, trigger } }) => ({
    station,
    time: trigger.time,
  }))
  await early?.note('vibration', triggers, ({ station }) => station, clock.now())
  return places
}

function unitAt(
  place: WaveformPlace,
  { waveform, values, withoutPeak }: ReadyWaveform,
): WaveformUnit {
  const { collectTime, isReplacement } = place
  const gone = isReplacement ? [...withoutPeak] : []
  return {
    waveform,
    place,
    theme: values.map((one) => toRow(one, collectTime)),
    deletions: { sources: gone, times: gone.map(() => collectTime) },
  }
}

/** Computes the values of a waveform; other work runs between the steps. */
async function prepare(
  parts: Pick<IngestParts, 'tracker'>,
  { station, waveform, summary }: ReadWaveform,
): Promise<ReadyWaveform> {
  await setImmediate()
  const own = { station, values: valuesOf(station, waveform.unit, summary()) }
  const tracked = await parts.tracker.track(station, waveform)
  await setImmediate()
  return {
    waveform,
    values: [own, ...tracked].filter((one) => !isEmpty(one)),
    withoutPeak: tracked.filter(isEmpty).map((one) => one.station.entry.id),
  }
}

const isEmpty = ({ values }: StationValues): boolean => values.every((value) => value === undefined)

const findStation = (id: unknown, { stations }: Catalogue): CatalogueStation | undefined =>
  typeof id === 'number' ? stations.get(id) : undefined

/** How the samples of a waveform are converted when they are prepared. */
const conversionAt = (input: unknown, catalogue: Catalogue): UnitConversion | undefined =>
  isObject(input)
    ? conversionOf(input['unit'], findStation(input['station'], catalogue))
    : undefined

function readWaveform(input: unknown, context: BatchContext): ReadWaveform | Rejection {
  if (input instanceof UnreadableRecord) return { rejection: input.reason }
  if (!isObject(input))
    return { rejection: 'a batch must be {station, collectTime, sampleFreq, unit, samples}' }
  const { catalogue, arrival } = context
  const { station: id, collectTime, sampleFreq, unit, samples } = input

  const station = findStation(id, catalogue)
  if (station === undefined) return { rejection: `station ${show(id)} is not known` }

  const target = { structure: station.entry.structure, station: station.entry.id }
  const foreign = rejectForeign(context, target, `station ${station.entry.id}`)
  if (foreign !== undefined) return foreign

  const { zone } = station.structure
  const source = { kind: 'vibration', source: station.entry.id, zone } as const
  const instant = readTime(collectTime, source, arrival)
  if (typeof instant !== 'number') return { rejection: `collect${capital(instant.rejection)}` }

  const rate = typeof sampleFreq === 'string' ? Number(sampleFreq) : sampleFreq
  if (typeof rate !== 'number' || !(rate > 0 && rate <= SAMPLE_HZ_MAXIMUM))
    return { rejection: `sampleFreq must be a number of Hz up to ${SAMPLE_HZ_MAXIMUM}` }
  if (typeof unit !== 'string' || unit.length > UNIT_LENGTH)
    return { rejection: `unit must be text of at most ${UNIT_LENGTH} characters` }

  const stored = toStationUnit(unit, station)
  if (isRejection(stored)) return stored
  const read = readSamples(samples, stored.conversion)
  if (isRejection(read)) return read

  const trigger = { time: instant, nanoseconds: nanosecondsOf(collectTime) }
  const head = { station: station.entry.id, trigger, sampleFreq: String(rate), unit: stored.unit }
  return { station, waveform: { ...head, samples: read.samples }, summary: read.summary }
}

type ReadSamples = Pick<NewWaveform, 'samples'> & Pick<ReadWaveform, 'summary'>

/** Reads samples into the unit of their station; those that are prepared are in it already. */
function readSamples(
  samples: unknown,
  conversion: UnitConversion | undefined,
): ReadSamples | Rejection {
  if (samples instanceof PreparedSamples) {
    const { preparation } = samples
    if ('infinite' in preparation) return infinite(preparation.infinite)
    return { samples: preparation.chunks, summary: () => preparation.summary }
  }
  if (!(Array.isArray(samples) || samples instanceof Float64Array) || samples.length === 0)
    return { rejection: 'samples must be a list of at least one number' }
  const place = findInfinite(samples)
  if (place !== undefined) return infinite(place)
  const sent = samples instanceof Float64Array ? samples : Float64Array.from(samples)
  const own = convertSamples(sent, conversion)
  const converted = own === sent ? undefined : findInfinite(own)
  if (converted !== undefined) return infinite(converted)
  return { samples: own, summary: () => peakSummary(own) }
}

const infinite = (place: number): Rejection => ({
  rejection: `samples[${place}] must be a finite number`,
})

/** The peaks of a waveform as values of its station, by which clients find the waveform. */
function valuesOf(
  { factor }: CatalogueStation,
  unit: string,
  peaks: PeakSummary,
): StationValues['values'] {
  const summary: Record<string, number> = peaks
  return factor.items.map(({ key, precision, unit: itemUnit }) => {
    const peak = Object.hasOwn(summary, key) ? summary[key] : undefined
    const value = peak === undefined ? undefined : toItemUnit(peak, unit, itemUnit)
    // Peak to peak of the largest doubles is not finite.
    return value !== undefined && Number.isFinite(value)
      ? roundToPrecision(value, precision)
      : undefined
  })
}

function toRow({ station, values }: StationValues, time: number): NewRecord {
  const record = recordText(station.quotedKeys, values, station.structure.zone.toLocal(time))
  return { source: station.entry.id, time, record, values }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
