import { readMiniSeedRecord, type MiniSeedRecord } from './miniseed-record.ts'
import { decodeSteim } from './steim.ts'
import { millisecondsBetween } from './waveform-start.ts'
import {
  checkSamples,
  invalid,
  type Waveform,
  type WaveformFormatReader,
  type WaveformSamples,
} from './waveform.ts'

type MiniSeedEncoding = {
  name: string
  /** Bytes of a sample; of Steim data the minimum. */
  bytes: number
  kind: 'integer' | 'single' | 'double'
  steim?: 1 | 2
}

type DataRecord = MiniSeedRecord & { format: MiniSeedEncoding }

/** Records without a gap between them. */
type Run = { first: DataRecord; records: DataRecord[]; count: number }

/** The encodings of blockette 1000 (SEED Reference Manual 2.4). */
const ENCODINGS: Readonly<Record<number, MiniSeedEncoding>> = {
  1: { name: 'int16', bytes: 2, kind: 'integer' },
  3: { name: 'int32', bytes: 4, kind: 'integer' },
  4: { name: 'float32', bytes: 4, kind: 'single' },
  5: { name: 'float64', bytes: 8, kind: 'double' },
  10: { name: 'Steim-1', bytes: 1, kind: 'integer', steim: 1 },
  11: { name: 'Steim-2', bytes: 4 / 7, kind: 'integer', steim: 2 },
}
const DEFAULT_GAP_TOLERANCE = 0.5

/** Reads miniSEED 2: data records of any channels, joined into continuous waveforms. */
export const miniSeed: WaveformFormatReader = {
  recognises(head) {
    const isThree = head[0] === 77 && head[1] === 83 && head[2] === 3
    return isThree || /^[0-9 \0]{6}[DRQMVAS][ \0]/.test(latin1(head.subarray(0, 8)))
  },

  read(bytes, options = {}) {
    if (latin1(bytes.subarray(0, 3)) === 'MS\u0003') {
      throw invalid('byte 0: the file is miniSEED 3, expected miniSEED 2')
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const tolerance = options.miniSeed?.gapTolerance ?? DEFAULT_GAP_TOLERANCE
    const channels = readRecords(view)
    const runs = [...channels.values()].flatMap((records) => joinRecords(records, tolerance))
    if (runs.length === 0) throw invalid('no record of the file has samples, expected at least one')
    return runs.map((run) => decodeRun(view, run))
  },
}

/** Reads the records with samples, by channel in the order of the file. */
function readRecords(view: DataView): Map<string, DataRecord[]> {
  const channels = new Map<string, DataRecord[]>()
  let number = 1
  for (let at = 0; at < view.byteLength; number++) {
    const record = readMiniSeedRecord(view, at, number)
    at = record.end
    if (record.count === 0) continue
    const format = formatOf(record)
    channels.getOrInsertComputed(record.channel, () => []).push({ ...record, format })
  }
  return channels
}

function formatOf({ place, encoding, count, from, end }: MiniSeedRecord): MiniSeedEncoding {
  const format = ENCODINGS[encoding]
  if (format === undefined) {
    const names = Object.entries(ENCODINGS).map(([code, { name }]) => `${code} (${name})`)
    throw invalid(`${place} has encoding ${encoding}, expected ${names.join(', ')}`)
  }
  if (count * format.bytes > end - from) {
    throw invalid(
      `${place} announces ${count} samples of ${format.name} in ${end - from} bytes, which cannot hold them`,
    )
  }
  return format
}

/**
 * Joins the records of a channel in order of time.
 *
 * A record continues a run if it begins at the time that follows from the run's first sample, its
 * count and its rate. So no sample is further from its time than the tolerance in a run of any length.
 */
function joinRecords(records: readonly DataRecord[], tolerance: number): Run[] {
  const runs: Run[] = []
  for (const record of records.toSorted((a, b) => millisecondsBetween(b.start, a.start))) {
    const run = runs.at(-1)
    if (run !== undefined && continues(run, record, tolerance)) {
      run.records.push(record)
      run.count += record.count
    } else runs.push({ first: record, records: [record], count: record.count })
  }
  return runs
}

function continues({ first, count }: Run, record: DataRecord, tolerance: number): boolean {
  if (first.sampleHz !== record.sampleHz || first.format.kind !== record.format.kind) return false
  const periods = (millisecondsBetween(first.start, record.start) / 1000) * first.sampleHz
  return Math.abs(periods - count) <= tolerance
}

function decodeRun(view: DataView, { first, records, count }: Run): Waveform {
  const { channel, start, sampleHz, format } = first
  const samples = newSamples(format.kind, count)
  let at = 0
  for (const record of records) {
    if (samples instanceof Int32Array) decodeIntegers(view, record, samples, at)
    else decodeFloats(view, record, samples, at)
    at += record.count
  }
  return { channel, start, sampleHz, unit: '', samples }
}

function decodeIntegers(view: DataView, record: DataRecord, samples: Int32Array, at: number): void {
  const { count, format, from, end: to, isLittle, place } = record
  if (format.steim !== undefined) {
    const frames = { view, from, to, isLittle, version: format.steim }
    const problem = decodeSteim(frames, samples, at, count)
    if (problem !== undefined) throw invalid(`${place} ${problem}`)
    return
  }
  for (let index = 0; index < count; index++) {
    const offset = from + index * format.bytes
    samples[at + index] =
      format.bytes === 2 ? view.getInt16(offset, isLittle) : view.getInt32(offset, isLittle)
  }
}

function decodeFloats(
  view: DataView,
  record: DataRecord,
  samples: Float32Array | Float64Array,
  at: number,
): void {
  const { count, format, from, isLittle, place } = record
  for (let index = 0; index < count; index++) {
    const offset = from + index * format.bytes
    samples[at + index] =
      format.kind === 'single'
        ? view.getFloat32(offset, isLittle)
        : view.getFloat64(offset, isLittle)
  }
  checkSamples(samples.subarray(at, at + count), place)
}

function newSamples(kind: MiniSeedEncoding['kind'], count: number): WaveformSamples {
  if (kind === 'integer') return new Int32Array(count)
  return kind === 'single' ? new Float32Array(count) : new Float64Array(count)
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
