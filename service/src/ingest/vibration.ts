import type { IngestReport } from '@plumbline/contract'
import type { Catalogue, CatalogueStation } from '../domain/catalogue.ts'
import { recordText } from '../domain/record-text.ts'
import { roundToPrecision } from '../domain/rounding.ts'
import { peakSummary } from '../domain/vibration/peak-summary.ts'
import type { RecordRows, VibrationBatch } from '../storage/storage.ts'
import type { Door } from './door.ts'
import { readTime } from './read-time.ts'
import { isRejection, show, type Rejection } from './report.ts'

/** Above this a rate is a mistake, not an accelerometer. */
const SAMPLE_HZ_MAXIMUM = 10_000_000

/** Stores vibration batches, each with its theme record; every batch is one commit. */
export async function ingestVibration(
  door: Door,
  batches: readonly unknown[],
): Promise<IngestReport> {
  const catalogue = await door.catalogue()
  const report: IngestReport = { accepted: 0, replaced: 0, rejected: [] }
  for (const [index, batch] of batches.entries()) {
    const read = readBatch(batch, catalogue, door.now())
    if (isRejection(read)) {
      report.rejected.push({ index, message: read.rejection })
      continue
    }
    const { replaced } = await door.storage.vibration.write(read.batch, read.theme)
    report.accepted++
    report.replaced += replaced
  }
  return report
}

function readBatch(
  input: unknown,
  catalogue: Catalogue,
  now: number,
): { batch: VibrationBatch; theme: RecordRows } | Rejection {
  if (typeof input !== 'object' || input === null)
    return { rejection: 'a batch must be {station, collectTime, sampleFreq, unit, samples}' }
  const { station: id, collectTime, sampleFreq, unit, samples } = input as Record<string, unknown>

  const station = catalogue.stations.get(id as number)
  if (station === undefined) return { rejection: `station ${show(id)} is not known` }

  const instant = readTime(collectTime, station.structure.zone, now)
  if (typeof instant !== 'number') return { rejection: `collect${capital(instant.rejection)}` }

  const rate = typeof sampleFreq === 'string' ? Number(sampleFreq) : sampleFreq
  if (typeof rate !== 'number' || !(rate > 0 && rate <= SAMPLE_HZ_MAXIMUM))
    return { rejection: `sampleFreq must be a number of Hz up to ${SAMPLE_HZ_MAXIMUM}` }
  if (typeof unit !== 'string' || unit.length > 64)
    return { rejection: 'unit must be text of at most 64 characters' }

  const waveform = readSamples(samples)
  if (isRejection(waveform)) return waveform

  const batch = {
    station: station.entry.id,
    collectTime: instant,
    sampleFreq: String(rate),
    unit,
    samples: waveform,
  }
  return { batch, theme: themeRecord(station, batch) }
}

function readSamples(samples: unknown): Float64Array | Rejection {
  if (!Array.isArray(samples) || samples.length === 0)
    return { rejection: 'samples must be a list of at least one number' }
  const place = samples.findIndex((sample) => !Number.isFinite(sample))
  return place === -1
    ? Float64Array.from(samples as number[])
    : { rejection: `samples[${place}] must be a finite number` }
}

/** The record by which clients find the batch: its peaks, under the batch's own time. */
function themeRecord(station: CatalogueStation, batch: VibrationBatch): RecordRows {
  const summary: Record<string, number> = peakSummary(batch.samples)
  const values = station.factor.items.map(({ key, precision }) => {
    const value = Object.hasOwn(summary, key) ? summary[key] : undefined
    return value === undefined ? undefined : roundToPrecision(value, precision)
  })
  if (values.every((value) => value === undefined)) return { sources: [], times: [], records: [] }

  const time = station.structure.zone.toLocal(batch.collectTime)
  const record = recordText(station.quotedKeys, values, time)
  return { sources: [batch.station], times: [batch.collectTime], records: [record] }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
