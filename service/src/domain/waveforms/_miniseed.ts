/** An encoder of miniSEED 2 of its own, after the SEED Reference Manual 2.4, for the tests. */

export type Encoding = 1 | 3 | 4 | 5 | 10 | 11

export type Recording = {
  samples: readonly number[]
  encoding: Encoding
  isLittle?: boolean
  lengthPower?: number
  /** `network.station.location.channel`. */
  channel?: string
  /** Epoch milliseconds, a multiple of 0.1 ms below. */
  start?: number
  tenThousandths?: number
  microseconds?: number
  factor?: number
  multiplier?: number
  actualHz?: number
  /** Seconds between samples, for the starts of the records that follow. */
  period?: number
  most?: number
  correction?: number
  isCorrected?: boolean
}

const WIDTHS = { 1: 2, 3: 4, 4: 4, 5: 8 } as const

/** As many records as the samples need. */
export function encodeMiniSeed(recording: Recording): Uint8Array {
  const { samples, start = 0, period = 0.01, most = 65_535 } = recording
  const records: Uint8Array[] = []
  for (let at = 0; at < samples.length || at === 0;) {
    const { bytes, count } = encodeRecord(
      { ...recording, start: start + at * period * 1000 },
      samples.slice(at, at + most),
      samples[at - 1] ?? 0,
      records.length + 1,
    )
    records.push(bytes)
    at += count
    if (count === 0) break
  }
  return join(records)
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function encodeRecord(
  recording: Recording,
  samples: readonly number[],
  before: number,
  number: number,
): { bytes: Uint8Array; count: number } {
  const { encoding, isLittle = false, lengthPower = 9, actualHz } = recording
  const bytes = new Uint8Array(2 ** lengthPower)
  const view = new DataView(bytes.buffer)
  const data = actualHz === undefined ? 64 : 128
  const from = data
  let count: number
  if (encoding === 10 || encoding === 11) {
    count = encodeSteim(view, { from, version: encoding === 10 ? 1 : 2, isLittle }, samples, before)
  } else {
    const width = WIDTHS[encoding]
    count = Math.min(samples.length, Math.floor((bytes.length - from) / width))
    for (let index = 0; index < count; index++) {
      const [at, sample] = [from + index * width, samples[index]!]
      if (encoding === 1) view.setInt16(at, sample, isLittle)
      else if (encoding === 3) view.setInt32(at, sample, isLittle)
      else if (encoding === 4) view.setFloat32(at, sample, isLittle)
      else view.setFloat64(at, sample, isLittle)
    }
  }
  writeHeader(view, recording, { count, number, data })
  return { bytes, count }
}

function writeHeader(
  view: DataView,
  recording: Recording,
  { count, number, data }: { count: number; number: number; data: number },
): void {
  const { isLittle = false, channel = 'XX.STA.00.HNZ', factor = 100, multiplier = 1 } = recording
  const { start = 0, tenThousandths = 0, microseconds = 0, actualHz } = recording
  const text = (at: number, value: string, length: number): void => {
    for (let index = 0; index < length; index++) {
      view.setUint8(at + index, value.padEnd(length).charCodeAt(index))
    }
  }
  const [network, station, location, name] = channel.split('.') as [string, string, string, string]
  text(0, `${String(number).padStart(6, '0')}D `, 8)
  text(8, station, 5)
  text(13, location, 2)
  text(15, name, 3)
  text(18, network, 2)
  const ticks = Math.round(start * 10) + tenThousandths
  const date = new Date(Math.floor(ticks / 10_000) * 1000)
  const newYear = Date.UTC(date.getUTCFullYear(), 0, 1)
  view.setUint16(20, date.getUTCFullYear(), isLittle)
  view.setUint16(22, Math.floor((date.getTime() - newYear) / 86_400_000) + 1, isLittle)
  view.setUint8(24, date.getUTCHours())
  view.setUint8(25, date.getUTCMinutes())
  view.setUint8(26, date.getUTCSeconds())
  view.setUint16(28, ticks - Math.floor(ticks / 10_000) * 10_000, isLittle)
  view.setUint16(30, count, isLittle)
  view.setInt16(32, factor, isLittle)
  view.setInt16(34, multiplier, isLittle)
  view.setUint8(36, recording.isCorrected ? 2 : 0)
  view.setUint8(39, actualHz === undefined ? 2 : 3)
  view.setInt32(40, recording.correction ?? 0, isLittle)
  view.setUint16(44, data, isLittle)
  view.setUint16(46, 48, isLittle)
  view.setUint16(48, 1000, isLittle)
  view.setUint16(50, 56, isLittle)
  view.setUint8(52, recording.encoding)
  view.setUint8(53, isLittle ? 0 : 1)
  view.setUint8(54, recording.lengthPower ?? 9)
  view.setUint16(56, 1001, isLittle)
  view.setUint16(58, actualHz === undefined ? 0 : 64, isLittle)
  view.setInt8(61, microseconds)
  if (actualHz === undefined) return
  view.setUint16(64, 100, isLittle)
  view.setFloat32(68, actualHz, isLittle)
}

type Target = { from: number; version: 1 | 2; isLittle: boolean }
/** Differences of one word: how many of how many bits, its two-bit code and the two bits within. */
type Packing = { count: number; bits: number; code: number; detail?: number }

const STEIM_1: readonly Packing[] = [
  { count: 4, bits: 8, code: 1 },
  { count: 2, bits: 16, code: 2 },
  { count: 1, bits: 32, code: 3 },
]
const STEIM_2: readonly Packing[] = [
  { count: 7, bits: 4, code: 3, detail: 2 },
  { count: 6, bits: 5, code: 3, detail: 1 },
  { count: 5, bits: 6, code: 3, detail: 0 },
  { count: 4, bits: 8, code: 1 },
  { count: 3, bits: 10, code: 2, detail: 3 },
  { count: 2, bits: 15, code: 2, detail: 2 },
  { count: 1, bits: 30, code: 2, detail: 1 },
]

/** Fills the frames of a record and gives back how many samples went in. */
function encodeSteim(
  view: DataView,
  { from, version, isLittle }: Target,
  samples: readonly number[],
  before: number,
): number {
  const differences = samples.map((sample, at) => (sample - (samples[at - 1] ?? before)) | 0)
  let written = 0
  for (let frame = from; frame + 64 <= view.byteLength; frame += 64) {
    let codes = 0
    for (let word = frame === from ? 3 : 1; word < 16 && written < samples.length; word++) {
      const packing = (version === 1 ? STEIM_1 : STEIM_2).find(
        ({ count, bits }) =>
          written + count <= differences.length &&
          differences
            .slice(written, written + count)
            .every((value) => value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1)),
      )!
      codes |= packing.code << (30 - 2 * word)
      const values = differences.slice(written, written + packing.count)
      writeWord(view, frame + 4 * word, { ...packing, values, isLittle })
      written += packing.count
    }
    view.setInt32(frame, codes, isLittle)
  }
  if (written > 0) {
    view.setInt32(from + 4, samples[0]!, isLittle)
    view.setInt32(from + 8, samples[written - 1]!, isLittle)
  }
  return written
}

function writeWord(
  view: DataView,
  at: number,
  { values, bits, detail, isLittle }: Packing & { values: readonly number[]; isLittle: boolean },
): void {
  if (bits === 8) values.forEach((value, index) => view.setInt8(at + index, value))
  else if (bits === 16)
    values.forEach((value, index) => view.setInt16(at + 2 * index, value, isLittle))
  else {
    let packed = BigInt(detail ?? 0)
    // The two bits of detail stand above the unused bits, if there are any.
    if (detail !== undefined) packed <<= BigInt(30 - bits * values.length)
    for (const value of values)
      packed = (packed << BigInt(bits)) | BigInt.asUintN(bits, BigInt(value))
    view.setInt32(at, Number(BigInt.asIntN(32, packed)), isLittle)
  }
}
