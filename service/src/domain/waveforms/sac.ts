import { rateOfSingle, shortestDecimal } from './rate-of-interval.ts'
import { laterBy, parseClock, startOfClock, type WaveformStart } from './waveform-start.ts'
import { checkRate, checkSamples, invalid, type WaveformFormatReader } from './waveform.ts'

const HEADER = 632
const VERSION = 6
const UNDEFINED = -12345
/** Words of the header: 70 singles and 40 integers, followed by texts of 8 bytes. */
const DELTA = 0
const BEGIN = 5
const TIME = 70
const NVHDR = 76
const NPTS = 79
const IFTYPE = 85
const LEVEN = 105
const TEXTS = 440
const TIME_SERIES = 1

/**
 * Reads SAC binary files of header version 6, evenly spaced, in either byte order.
 *
 * They have no unit: IDEP names a quantity in nanometres, but few writers use nanometres.
 */
export const sac: WaveformFormatReader = {
  recognises: (head) => head.length >= HEADER && byteOrder(viewOf(head)) !== undefined,

  read(bytes) {
    if (bytes.length < HEADER) {
      throw invalid(`the file has ${bytes.length} bytes, expected a header of ${HEADER}: truncated`)
    }
    const view = viewOf(bytes)
    const little = byteOrder(view)
    if (little === undefined) {
      const found = view.getInt32(4 * NVHDR, true)
      throw invalid(`byte ${4 * NVHDR}: header version is ${found}, expected ${VERSION}`)
    }
    const integer = (word: number): number => view.getInt32(4 * word, little)
    const single = (word: number): number => view.getFloat32(4 * word, little)
    checkType(integer(IFTYPE), integer(LEVEN))

    const count = integer(NPTS)
    const expected = HEADER + 4 * count
    if (count < 1 || bytes.length !== expected) {
      const size = count < 1 ? 'at least 1 point' : `${expected} bytes`
      throw invalid(
        `byte ${4 * NPTS}: the header announces ${count} points in a file of ${bytes.length} bytes, expected ${size}`,
      )
    }
    const sampleHz = checkRate(rateOfSingle(single(DELTA)), `byte ${4 * DELTA}`)
    const samples = new Float32Array(count)
    for (let index = 0; index < count; index++) {
      samples[index] = view.getFloat32(HEADER + 4 * index, little)
    }
    checkSamples(samples, `byte ${HEADER}`)
    const time = [0, 1, 2, 3, 4, 5].map((word) => integer(TIME + word))
    const start = startOf(time, single(BEGIN))
    return [{ channel: channelOf(bytes), start, sampleHz, unit: '', samples }]
  },
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** True for little-endian; undefined if the version is wrong in either order. */
const byteOrder = (view: DataView): boolean | undefined =>
  [true, false].find((little) => view.getInt32(4 * NVHDR, little) === VERSION)

function checkType(type: number, isEven: number): void {
  if (type !== TIME_SERIES) {
    throw invalid(
      `byte ${4 * IFTYPE}: file type is ${type}, expected ${TIME_SERIES}, a time series`,
    )
  }
  if (isEven !== 1) {
    throw invalid(`byte ${4 * LEVEN}: LEVEN is ${isEven}, expected 1, evenly spaced`)
  }
}

/** The reference time plus the begin of the samples; undefined if either is missing. */
function startOf(time: readonly number[], begin: number): WaveformStart | undefined {
  if (time.includes(UNDEFINED) || begin === UNDEFINED) return undefined
  const [year = NaN, dayOfYear = NaN, hour, minute, second, millisecond = NaN] = time
  const date = new Date(Date.UTC(year, 0, dayOfYear))
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()]
  const clock = parseClock([date.getUTCFullYear(), month, day, hour, minute, second])
  const reference = startOfClock(clock)
  const nanoseconds = Math.round(shortestDecimal(begin) * 1e9)
  const isReal =
    clock.year === year &&
    millisecond >= 0 &&
    millisecond < 1000 &&
    Number.isSafeInteger(nanoseconds)
  if (reference === undefined || !isReal) {
    throw invalid(
      `byte ${4 * TIME}: reference time is ${time.join(' ')} and begin ${begin}, expected year, day of the year, hour, minute, second, millisecond and seconds`,
    )
  }
  return laterBy(reference, millisecond * 1_000_000 + nanoseconds)
}

/** `network.station.location.channel`: KNETWK, KSTNM, KHOLE, KCMPNM. */
function channelOf(bytes: Uint8Array): string {
  const parts = [168, 0, 24, 160].map((offset) => textOf(bytes, TEXTS + offset))
  return parts.every((part) => part === '') ? '' : parts.join('.')
}

function textOf(bytes: Uint8Array, from: number): string {
  const text = String.fromCharCode(...bytes.subarray(from, from + 8)).replace(/\0.*$/s, '')
  return text.startsWith(String(UNDEFINED)) ? '' : text.trim()
}
