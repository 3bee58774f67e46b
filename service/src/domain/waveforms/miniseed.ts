import { readMiniSeedRecord, type MiniSeedRecord } from './miniseed-record.ts'
import { decodeSteim } from './steim.ts'
import { millisecondsBetween } from './waveform-start.ts'
import {
  checkSamples,
  invalid,
  type Waveform,
  type WaveformReader,
  type WaveformSamples,
} from './waveform.ts'

/** Records that follow each other without a gap. */
type Run = { records: MiniSeedRecord[]; count: number }

type Encoding = { name: string; bytes: number; kind: 'integer' | 'single' | 'double' }

/** SEED Reference Manual 2.4, blockette 1000; Steim's data is at least so many bytes a sample. */
const ENCODINGS: Readonly<Record<number, Encoding>> = {
  1: { name: 'int16', bytes: 2, kind: 'integer' },
  3: { name: 'int32', bytes: 4, kind: 'integer' },
  4: { name: 'float32', bytes: 4, kind: 'single' },
  5: { name: 'float64', bytes: 8, kind: 'double' },
  10: { name: 'Steim-1', bytes: 1, kind: 'integer' },
  11: { name: 'Steim-2', bytes: 4 / 7, kind: 'integer' },
}
const STEIM_1 = 10
const STEIM_2 = 11
const HALF_A_PERIOD = 0.5

/** miniSEED 2: data records of any channels, joined into continuous waveforms. */
export const miniSeed: WaveformReader = {
  name: 'miniSEED',

  recognises(head) {
    const isThree = head[0] === 77 && head[1] === 83 && head[2] === 3
    return isThree || /^[0-9 \0]{6}[DRQMVAS][ \0]/.test(latin1(head.subarray(0, 8)))
  },

  read(bytes, options = {}) {
    if (latin1(bytes.subarray(0, 3)) === 'MS\u0003') {
      throw invalid('byte 0: the file is miniSEED 3, expected miniSEED 2')
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const tolerance = options.miniSeed?.gapTolerance ?? HALF_A_PERIOD
    const channels = readRecords(view)
    const runs = [...channels.values()].flatMap((records) => joinRecords(records, tolerance))
    if (runs.length === 0) throw invalid('no record of the file has samples, expected at least one')
    return runs.map((run) => decodeRun(view, run))
  },
}

/** The records with samples, by channel in order of appearance. */
function readRecords(view: DataView): Map<string, MiniSeedRecord[]> {
  const channels = new Map<string, MiniSeedRecord[]>()
  let number = 1
  for (let at = 0; at < view.byteLength; number++) {
    const record = readMiniSeedRecord(view, at, number)
    at = record.end
    if (record.count === 0) continue
    checkData(record)
    const records = channels.get(record.channel)
    if (records === undefined) channels.set(record.channel, [record])
    else records.push(record)
  }
  return channels
}

function checkData({ place, encoding, count, from, end }: MiniSeedRecord): void {
  const known = ENCODINGS[encoding]
  if (known === undefined) {
    const names = Object.entries(ENCODINGS).map(([code, { name }]) => `${code} (${name})`)
    throw invalid(`${place} has encoding ${encoding}, expected ${names.join(', ')}`)
  }
  if (count * known.bytes > end - from) {
    throw invalid(
      `${place} announces ${count} samples of ${known.name} in ${end - from} bytes, which cannot hold them`,
    )
  }
}

/**
 * Joins the records of a channel in order of time.
 *
 * A record continues a run only where the run's first sample, its count and its rate lead, so that
 * no sample is further from its time than the tolerance, however many records there are.
 */
function joinRecords(records: MiniSeedRecord[], tolerance: number): Run[] {
  const runs: Run[] = []
  for (const record of records.toSorted((a, b) => millisecondsBetween(b.start, a.start))) {
    const run = runs.at(-1)
    if (run !== undefined && continues(run, record, tolerance)) {
      run.records.push(record)
      run.count += record.count
    } else runs.push({ records: [record], count: record.count })
  }
  return runs
}

function continues({ records, count }: Run, record: MiniSeedRecord, tolerance: number): boolean {
  const first = records[0]!
  if (first.sampleHz !== record.sampleHz || kindOf(first) !== kindOf(record)) return false
  const periods = (millisecondsBetween(first.start, record.start) / 1000) * first.sampleHz
  return Math.abs(periods - count) <= tolerance
}

function decodeRun(view: DataView, { records, count }: Run): Waveform {
  const { channel, start, sampleHz } = records[0]!
  const samples = room(kindOf(records[0]!), count)
  let at = 0
  for (const record of records) {
    decodeRecord(view, record, samples, at)
    at += record.count
  }
  return { channel, start, sampleHz, unit: '', samples }
}

function decodeRecord(
  view: DataView,
  record: MiniSeedRecord,
  samples: WaveformSamples,
  at: number,
): void {
  const { count, encoding, from, end: to, isLittle, place } = record
  if (encoding === STEIM_1 || encoding === STEIM_2) {
    const version = encoding === STEIM_1 ? 1 : 2
    const frames = { view, from, to, isLittle, version } as const
    const problem = decodeSteim(frames, samples as Int32Array, at, count)
    if (problem !== undefined) throw invalid(`${place} ${problem}`)
    return
  }
  const { bytes, kind } = ENCODINGS[encoding]!
  for (let index = 0; index < count; index++) {
    const place = from + index * bytes
    if (kind === 'single') samples[at + index] = view.getFloat32(place, isLittle)
    else if (kind === 'double') samples[at + index] = view.getFloat64(place, isLittle)
    else if (bytes === 2) samples[at + index] = view.getInt16(place, isLittle)
    else samples[at + index] = view.getInt32(place, isLittle)
  }
  if (samples instanceof Int32Array) return
  checkSamples(samples.subarray(at, at + count), place)
}

const kindOf = ({ encoding }: MiniSeedRecord): Encoding['kind'] => ENCODINGS[encoding]!.kind

function room(kind: Encoding['kind'], count: number): WaveformSamples {
  if (kind === 'integer') return new Int32Array(count)
  return kind === 'single' ? new Float32Array(count) : new Float64Array(count)
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
