import type { IngestReport } from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import { ingestVibration, type VibrationParts } from './ingest-vibration.ts'
import { SAMPLE_BYTES, type Encoding } from './decode-samples.ts'

/**
 * Stores a vibration batch of bare little-endian samples and the texts of a query.
 *
 * Refuses a length that is no whole number of samples, or not `count` of them where it is given.
 * Takes the bytes over.
 */
export async function ingestRawSamples(
  parts: VibrationParts,
  bytes: Uint8Array,
  query: object,
): Promise<IngestReport> {
  const { encoding: told, count, station, collectTime, ...rest } = query as Record<string, unknown>
  const encoding = readEncoding(told)
  const length = countSamples(bytes, encoding)
  if (count !== undefined && Number(count) !== length)
    throw refuse(`the body holds ${length} samples, "count" says ${show(count)}`)
  const batch = { ...rest, station: toInteger(station), collectTime: toInteger(collectTime) }
  return parts.reader.samples(bytes, encoding, (samples) =>
    ingestVibration(parts, [{ ...batch, samples }]),
  )
}

function readEncoding(encoding: unknown): Encoding {
  if (typeof encoding === 'string' && Object.hasOwn(SAMPLE_BYTES, encoding))
    return encoding as Encoding
  throw refuse(`the query parameter "encoding" must be float32 or float64, not ${show(encoding)}`)
}

function countSamples({ length }: Uint8Array, encoding: Encoding): number {
  const width = SAMPLE_BYTES[encoding]
  if (length === 0) throw refuse('the body is empty, expected samples')
  if (length % width !== 0)
    throw refuse(
      `the body has ${length} bytes, which is no whole number of ${encoding} samples of ${width} bytes`,
    )
  return length / width
}

/** Whole numbers as they are meant: an id, epoch milliseconds; any other text stays one. */
const toInteger = (text: unknown): unknown =>
  typeof text === 'string' && /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text

const refuse = (sentence: string) => new RefusedError('invalid', sentence)
