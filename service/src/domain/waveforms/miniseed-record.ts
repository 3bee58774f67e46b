import { laterBy, startOfClock, type WaveformStart } from './waveform-start.ts'
import { checkRate, invalid } from './waveform.ts'

/** The header of one data record. */
export type MiniSeedRecord = {
  /** The record in error sentences: `record 3 at byte 1024`. */
  place: string
  channel: string
  start: WaveformStart
  sampleHz: number
  count: number
  encoding: number
  isLittle: boolean
  /** The offset of the data. */
  from: number
  /** The offset of the record's end. */
  end: number
}

const HEADER = 48
/** The shortest and the longest record that libmseed reads, as powers of two. */
const LENGTH_POWERS = [7, 20] as const
const SHORTEST_BLOCKETTE = 8
const TIME_CORRECTED = 0x02
const TEN_THOUSANDTH = 100_000

/**
 * Reads the fixed section of the data header and the blockettes 100, 1000 and 1001 of the record at
 * the offset `at` (SEED Reference Manual 2.4, chapter 8).
 */
export function readMiniSeedRecord(view: DataView, at: number, number: number): MiniSeedRecord {
  const place = `record ${number} at byte ${at}`
  const left = view.byteLength - at
  if (left < HEADER) throw invalid(`${place} has ${left} bytes, expected a header of ${HEADER}`)
  checkKind(view, at, place)
  const little = headerOrder(view, at, place)
  const blockettes = readBlockettes(view, at, little, place)
  if (blockettes.lengthPower === undefined) {
    throw invalid(`${place} has no blockette 1000, expected one with its length and encoding`)
  }
  const length = 2 ** blockettes.lengthPower
  if (left < length) throw invalid(`${place} has ${left} bytes, expected ${length}: truncated`)

  const count = view.getUint16(at + 30, little)
  const data = view.getUint16(at + 44, little)
  if (count > 0 && (data < HEADER || data > length)) {
    throw invalid(`${place}: data begins at ${data}, expected ${HEADER} to ${length}`)
  }
  const nominal = nominalRate(view.getInt16(at + 32, little), view.getInt16(at + 34, little))
  const sampleHz = blockettes.sampleHz ?? nominal
  return {
    place,
    channel: channelOf(view, at),
    start: laterBy(startOf(view, at, little, place), blockettes.microseconds * 1000),
    sampleHz: count === 0 ? sampleHz : checkRate(sampleHz, place),
    count,
    encoding: blockettes.encoding,
    isLittle: blockettes.isLittle,
    from: at + data,
    end: at + length,
  }
}

function checkKind(view: DataView, at: number, place: string): void {
  const kind = String.fromCharCode(view.getUint8(at + 6))
  if ('DRQM'.includes(kind)) return
  if ('VASTP'.includes(kind)) {
    throw invalid(`${place} is a control header of full SEED (${kind}), expected data records only`)
  }
  throw invalid(`${place} has the kind ${JSON.stringify(kind)}, expected D, R, Q or M`)
}

/** True for little-endian. Year and day are valid in one byte order only, except in 2056. */
function headerOrder(view: DataView, at: number, place: string): boolean {
  const orders = [false, true].filter((little) => {
    const year = view.getUint16(at + 20, little)
    const day = view.getUint16(at + 22, little)
    return year >= 1900 && year <= 2100 && day >= 1 && day <= 366
  })
  const order = orders.find((little) => view.getUint16(at + 46, little) < 0x1000) ?? orders[0]
  if (order !== undefined) return order
  const [year, day] = [view.getUint16(at + 20), view.getUint16(at + 22)]
  throw invalid(
    `${place}: year is ${year} and day ${day}, expected 1900 to 2100 and 1 to 366 in either byte order`,
  )
}

type Blockettes = {
  lengthPower: number | undefined
  encoding: number
  isLittle: boolean
  microseconds: number
  sampleHz: number | undefined
}

function readBlockettes(view: DataView, at: number, little: boolean, place: string): Blockettes {
  const found: Blockettes = {
    lengthPower: undefined,
    encoding: 0,
    isLittle: little,
    microseconds: 0,
    sampleHz: undefined,
  }
  let offset = view.getUint16(at + 46, little)
  let minimum = HEADER
  while (offset !== 0) {
    const from = at + offset
    if (offset < minimum || from + SHORTEST_BLOCKETTE > view.byteLength) {
      throw invalid(`${place}: a blockette is announced at ${offset}, where none can be`)
    }
    const type = view.getUint16(from, little)
    const next = view.getUint16(from + 2, little)
    if (type === 1000) {
      found.encoding = view.getUint8(from + 4)
      found.isLittle = view.getUint8(from + 5) === 0
      found.lengthPower = view.getUint8(from + 6)
      const [shortest, longest] = LENGTH_POWERS
      if (found.lengthPower < shortest || found.lengthPower > longest) {
        throw invalid(
          `${place}: length is 2 to the power of ${found.lengthPower}, expected ${shortest} to ${longest}`,
        )
      }
    } else if (type === 1001) {
      found.microseconds = view.getInt8(from + 5)
    } else if (type === 100) {
      found.sampleHz = view.getFloat32(from + 4, little)
    }
    minimum = offset + SHORTEST_BLOCKETTE
    offset = next
  }
  return found
}

function startOf(view: DataView, at: number, little: boolean, place: string): WaveformStart {
  const year = view.getUint16(at + 20, little)
  const dayOfYear = view.getUint16(at + 22, little)
  const hour = view.getUint8(at + 24)
  const minute = view.getUint8(at + 25)
  const second = view.getUint8(at + 26)
  const fraction = view.getUint16(at + 28, little)
  const date = new Date(Date.UTC(year, 0, dayOfYear))
  const start = startOfClock({
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour,
    minute,
    second,
  })
  if (start === undefined || fraction > 9999 || date.getUTCFullYear() !== year) {
    const time = `${hour}:${minute}:${second} and ${fraction} ten-thousandths`
    throw invalid(`${place}: start is day ${dayOfYear} of ${year}, ${time}, expected a real time`)
  }
  const isCorrected = (view.getUint8(at + 36) & TIME_CORRECTED) !== 0
  const correction = isCorrected ? 0 : view.getInt32(at + 40, little)
  return laterBy(start, (fraction + correction) * TEN_THOUSANDTH)
}

/** A negative factor is a period, a negative multiplier a divisor. */
function nominalRate(factor: number, multiplier: number): number {
  if (factor === 0 || multiplier === 0) return 0
  const rate = factor > 0 ? factor : -1 / factor
  return multiplier > 0 ? rate * multiplier : -rate / multiplier
}

/** `network.station.location.channel`, each with its offset and length in the header. */
function channelOf(view: DataView, at: number): string {
  const parts = [
    [18, 2],
    [8, 5],
    [13, 2],
    [15, 3],
  ] as const
  return parts
    .map(([offset, length]) => {
      let text = ''
      for (let index = 0; index < length; index++) {
        text += String.fromCharCode(view.getUint8(at + offset + index))
      }
      return text.replaceAll('\0', ' ').trim()
    })
    .join('.')
}
