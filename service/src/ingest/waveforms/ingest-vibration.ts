import { setImmediate } from 'node:timers/promises'
import type { IngestReport } from '@plumbline/contract'
import type { Catalogue, CatalogueStation } from '../../domain/site/catalogue.ts'
import { recordText } from '../../domain/records/record-text.ts'
import { roundToPrecision } from '../../domain/derivation/rounding.ts'
import { peakSummary, type PeakSummary } from '../../domain/vibration/peak-summary.ts'
import { nanosecondsOf } from '../../domain/vibration/trigger.ts'
import type { BatchPlace, Replaced, VibrationBatch, VibrationWrite } from '../../storage/storage.ts'
import { arriveAt, type Door, type IngestOptions } from '../records/door.ts'
import { findInfinite, PreparedSamples } from './prepared-samples.ts'
import { readTime, type Arrival } from '../records/read-time.ts'
import { UnreadableRecord } from '../../json/unreadable-record.ts'
import { show } from '../../errors/show.ts'
import { isRejection, type Rejection } from '../records/report.ts'
import { toColumns, type StationRow } from '../records/ingest-theme.ts'
import { trackFrequencies, type StationValues } from './track-frequencies.ts'
import { prepareLargeBatch } from './large-bodies.ts'
import { judgeRows } from '../records/write-records.ts'

/** Above this a rate is a mistake, not an accelerometer. */
const SAMPLE_HZ_MAXIMUM = 10_000_000

const UNIT_LENGTH = 64

/**
 * Stores vibration batches, each with its theme record and those of the stations that track its
 * frequencies; every batch is one commit. Samples are a list of numbers, a `Float64Array` or
 * `PreparedSamples`.
 */
export async function ingestVibration(
  door: Door,
  batches: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const report: IngestReport = { accepted: 0, replaced: 0, rejected: [] }
  for (const [index, input] of batches.entries()) {
    const read = readBatch(await prepareLargeBatch(input), catalogue, arrivalAt(door))
    if (isRejection(read)) {
      report.rejected.push({ index, message: read.rejection })
      continue
    }
    add(report, await writeBatches(door, catalogue, [await prepare(door, read)]))
  }
  return report
}

/** Stores batches in one commit; when one of them is rejected, none is stored. */
export async function ingestVibrationTogether(
  door: Door,
  batches: readonly unknown[],
  options: Pick<IngestOptions, 'change'> = {},
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const report: IngestReport = { accepted: 0, replaced: 0, rejected: [] }
  const read = batches.map((input) => readBatch(input, catalogue, arrivalAt(door)))
  for (const [index, one] of read.entries())
    if (isRejection(one)) report.rejected.push({ index, message: one.rejection })
  const ready: ReadyBatch[] = []
  if (report.rejected.length > 0) return report
  for (const one of read) if (!isRejection(one)) ready.push(await prepare(door, one))
  if (ready.length > 0) add(report, await writeBatches(door, catalogue, ready, options))
  return report
}

const arrivalAt = (door: Door): Arrival => ({ now: arriveAt(door), behind: door.behind })

function add(report: IngestReport, outcomes: readonly Replaced[]): void {
  report.accepted += outcomes.length
  for (const { replaced } of outcomes) report.replaced += replaced
}

type ReadBatch = { station: CatalogueStation; batch: VibrationBatch; summary(): PeakSummary }

/** A batch, and the theme records that follow from it at the place that it will have. */
type ReadyBatch = VibrationWrite & { rowsAt(place: BatchPlace): StationRow[] }

/** Stores batches in one commit, with what their records mean for alarms. */
async function writeBatches(
  door: Door,
  catalogue: Catalogue,
  ready: readonly ReadyBatch[],
  options: Pick<IngestOptions, 'change'> = {},
): Promise<(Replaced & { collectTime: number })[]> {
  const places = await door.storage.vibration.writeAll(ready, {
    ...options,
    judge: (places, store) => {
      const rows = ready.flatMap((one, at) => one.rowsAt(places[at]!))
      return judgeRows(door, catalogue, rows, options, store)
    },
  })
  const triggers = ready.map(({ batch }) => ({ station: batch.station, time: batch.trigger.time }))
  await door.early?.note('vibration', triggers, ({ station }) => station, door.now())
  return places
}

/** Others are served between the steps. */
async function prepare(door: Door, { station, batch, summary }: ReadBatch): Promise<ReadyBatch> {
  await setImmediate()
  const own = { station, values: valuesOf(station, summary()) }
  const tracked = await trackFrequencies(door, station, batch)
  await setImmediate()
  const full = [own, ...tracked].filter((one) => !isEmpty(one))
  const rowsAt = ({ collectTime }: BatchPlace) => full.map((one) => toRow(one, collectTime))
  return {
    batch,
    rowsAt,
    records: (place) => {
      // Peaks that the earlier batch had and this one lacks.
      const gone = place.isAgain ? tracked.filter(isEmpty).map((one) => one.station.entry.id) : []
      return {
        ...toColumns(rowsAt(place)),
        gone: { sources: gone, times: gone.map(() => place.collectTime) },
      }
    },
  }
}

const isEmpty = ({ values }: StationValues): boolean => values.every((value) => value === undefined)

function readBatch(input: unknown, catalogue: Catalogue, arrival: Arrival): ReadBatch | Rejection {
  if (input instanceof UnreadableRecord) return { rejection: input.reason }
  if (typeof input !== 'object' || input === null)
    return { rejection: 'a batch must be {station, collectTime, sampleFreq, unit, samples}' }
  const { station: id, collectTime, sampleFreq, unit, samples } = input as Record<string, unknown>

  const station = catalogue.stations.get(id as number)
  if (station === undefined) return { rejection: `station ${show(id)} is not known` }

  const { zone } = station.structure
  const clocked = { kind: 'vibration', source: station.entry.id, zone } as const
  const instant = readTime(collectTime, clocked, arrival)
  if (typeof instant !== 'number') return { rejection: `collect${capital(instant.rejection)}` }

  const rate = typeof sampleFreq === 'string' ? Number(sampleFreq) : sampleFreq
  if (typeof rate !== 'number' || !(rate > 0 && rate <= SAMPLE_HZ_MAXIMUM))
    return { rejection: `sampleFreq must be a number of Hz up to ${SAMPLE_HZ_MAXIMUM}` }
  if (typeof unit !== 'string' || unit.length > UNIT_LENGTH)
    return { rejection: `unit must be text of at most ${UNIT_LENGTH} characters` }

  const waveform = readSamples(samples)
  if (isRejection(waveform)) return waveform

  const trigger = { time: instant, nanoseconds: nanosecondsOf(collectTime) }
  const batch = { station: station.entry.id, trigger, sampleFreq: String(rate), unit }
  return { station, batch: { ...batch, samples: waveform.samples }, summary: waveform.summary }
}

type Waveform = Pick<VibrationBatch, 'samples'> & Pick<ReadBatch, 'summary'>

function readSamples(samples: unknown): Waveform | Rejection {
  if (samples instanceof PreparedSamples) {
    const { preparation } = samples
    if ('infinite' in preparation) return infinite(preparation.infinite)
    return { samples: preparation.cut, summary: () => preparation.summary }
  }
  if (!(Array.isArray(samples) || samples instanceof Float64Array) || samples.length === 0)
    return { rejection: 'samples must be a list of at least one number' }
  const place = findInfinite(samples as ArrayLike<unknown>)
  if (place !== undefined) return infinite(place)
  const own = samples instanceof Float64Array ? samples : Float64Array.from(samples as number[])
  return { samples: own, summary: () => peakSummary(own) }
}

const infinite = (place: number): Rejection => ({
  rejection: `samples[${place}] must be a finite number`,
})

/** The values by which clients find the batch: its peaks, under the batch's own time. */
function valuesOf({ factor }: CatalogueStation, peaks: PeakSummary): StationValues['values'] {
  const summary: Record<string, number> = peaks
  return factor.items.map(({ key, precision }) => {
    const value = Object.hasOwn(summary, key) ? summary[key]! : NaN
    // Peak to peak of the largest doubles is beyond them.
    return Number.isFinite(value) ? roundToPrecision(value, precision) : undefined
  })
}

function toRow({ station, values }: StationValues, time: number): StationRow {
  const record = recordText(station.quotedKeys, values, station.structure.zone.toLocal(time))
  return { source: station.entry.id, time, record, values }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
