import { shortestDecimal } from '../../../domain/waveforms/rate-of-interval.ts'
import { formatTobTime } from './tob-time.ts'

/** A field of a record: its size, and its value as a field of a CSV line. */
export type TobField = { bytes: number; text(record: DataView, at: number): string }

type FieldType = readonly [bytes: number, text: TobField['text']]

/**
 * The types of header line 5 of TOB1 and 6 of TOB3, in capitals.
 *
 * Sources: Campbell Scientific, LoggerNet manual, appendix B ("TOB1", "TOB2 or TOB3", "Binary Data Value
 * Types"). UINT2, UINT4 and BOOL8 of newer loggers: github.com/alextsfox/camp2ascii, `decode.py`.
 */
const TYPES: Readonly<Record<string, FieldType>> = {
  IEEE4: [4, (record, at) => singleText(record.getFloat32(at, true))],
  IEEE4B: [4, (record, at) => singleText(record.getFloat32(at))],
  IEEE8: [8, (record, at) => numberText(record.getFloat64(at, true))],
  FP2: [2, (record, at) => fp2Text(record.getUint16(at))],
  ULONG: [4, (record, at) => String(record.getUint32(at, true))],
  LONG: [4, (record, at) => String(record.getInt32(at, true))],
  UINT2: [2, (record, at) => String(record.getUint16(at))],
  UINT4: [4, (record, at) => String(record.getUint32(at))],
  // TOA5 has -1 for true.
  BOOL: [1, (record, at) => (record.getUint8(at) === 0 ? '0' : '-1')],
  BOOL8: [1, (record, at) => String(record.getUint8(at))],
  SECNANO: [
    8,
    (record, at) =>
      `"${formatTobTime(record.getUint32(at, true), record.getUint32(at + 4, true))}"`,
  ],
}

export const TOB_TYPES = [...Object.keys(TYPES), 'ASCII(length)']

/** The field of a type such as `FP2` or `ASCII(25)`; undefined for another type. */
export function tobField(type: string): TobField | undefined {
  const name = type.trim().toUpperCase()
  const [bytes, text] = TYPES[name] ?? []
  if (bytes !== undefined && text !== undefined) return { bytes, text }
  const length = Number(/^ASCII\((\d{1,4})\)$/.exec(name)?.[1] ?? 0)
  return length === 0
    ? undefined
    : { bytes: length, text: (record, at) => asciiText(record, at, length) }
}

/** What TOA5 writes for values without a number. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return '"NAN"'
  return Number.isFinite(value) ? String(value) : value > 0 ? '"INF"' : '"-INF"'
}

const singleText = (single: number): string => numberText(shortestDecimal(single))

const FP2_POSITIVE_INFINITY = 0x1fff
const FP2_NEGATIVE_INFINITY = 0x9fff
const FP2_NAN = 0x9ffe

/** A sign, two bits of a negative decimal exponent and 13 bits (CR1000 manual, appendix "FP2 Data Format"). */
export function fp2Text(word: number): string {
  if (word === FP2_NAN) return numberText(NaN)
  if (word === FP2_POSITIVE_INFINITY) return numberText(Infinity)
  if (word === FP2_NEGATIVE_INFINITY) return numberText(-Infinity)
  const decimals = (word >> 13) & 3
  const text = ((word & 0x1fff) / 10 ** decimals).toFixed(decimals)
  return word & 0x8000 ? `-${text}` : text
}

function asciiText(record: DataView, at: number, length: number): string {
  const bytes = Buffer.from(record.buffer, record.byteOffset + at, length)
  const end = bytes.indexOf(0)
  const text = bytes.toString('latin1', 0, end === -1 ? length : end)
  return `"${text.replaceAll(/[\r\n]/g, ' ').replaceAll('"', '""')}"`
}
