import { RefusedError } from '../domain/refused-error.ts'
import { show } from './report.ts'

const WIDTHS = { float32: 4, float64: 8 } as const

type Encoding = keyof typeof WIDTHS

/**
 * A vibration batch from bare little-endian samples and the texts of a query.
 *
 * Refuses a length that is no whole number of samples, or not `count` of them where it is given.
 */
export function readRawBatch(bytes: Uint8Array, query: object): object {
  const { encoding, count, station, collectTime, ...rest } = query as Record<string, unknown>
  if (typeof encoding !== 'string' || !Object.hasOwn(WIDTHS, encoding))
    throw refuse(`the query parameter "encoding" must be float32 or float64, not ${show(encoding)}`)
  const samples = readSamples(bytes, encoding as Encoding)
  if (count !== undefined && Number(count) !== samples.length)
    throw refuse(`the body holds ${samples.length} samples, "count" says ${show(count)}`)
  return { ...rest, station: toInteger(station), collectTime: toInteger(collectTime), samples }
}

function readSamples(bytes: Uint8Array, encoding: Encoding): Float64Array {
  const width = WIDTHS[encoding]
  if (bytes.length === 0) throw refuse('the body is empty, expected samples')
  if (bytes.length % width !== 0)
    throw refuse(
      `the body has ${bytes.length} bytes, which is no whole number of ${encoding} samples of ${width} bytes`,
    )
  // A copy starts at an even address, as typed arrays want it.
  const { buffer } = new Uint8Array(bytes)
  return encoding === 'float32'
    ? new Float64Array(new Float32Array(buffer))
    : new Float64Array(buffer)
}

/** Whole numbers as they are meant: an id, epoch milliseconds; any other text stays one. */
const toInteger = (text: unknown): unknown =>
  typeof text === 'string' && /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text

const refuse = (sentence: string) => new RefusedError('invalid', sentence)
