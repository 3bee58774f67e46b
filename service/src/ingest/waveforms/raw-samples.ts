import type { IngestReport } from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import { ingestVibration, type VibrationParts } from './ingest-vibration.ts'
import { conversionOf } from './station-unit.ts'
import { isSampleEncoding, SAMPLE_BYTES, type SampleEncoding } from './decode-samples.ts'

/**
 * Stores a waveform of bare little-endian samples and the texts of a query.
 *
 * Throws a `RefusedError` for a length that is not a whole number of samples, or differs from `count`.
 * Takes the bytes over.
 */
export async function ingestRawSamples(
  parts: VibrationParts,
  bytes: Uint8Array,
  query: object,
): Promise<IngestReport> {
  const texts: Readonly<Record<string, unknown>> = { ...query }
  const { encoding: encodingText, count, station: stationText, collectTime, ...rest } = texts
  const encoding = readEncoding(encodingText)
  const length = countSamples(bytes, encoding)
  if (count !== undefined && Number(count) !== length)
    throw refuse(`the body holds ${length} samples, "count" says ${show(count)}`)
  const station = toInteger(stationText)
  const { stations } = await parts.catalogue()
  const known = typeof station === 'number' ? stations.get(station) : undefined
  const decoding = { encoding, conversion: conversionOf(rest['unit'], known) }
  const waveform = { ...rest, station, collectTime: toInteger(collectTime) }
  return parts.reader.samples(bytes, decoding, (samples) =>
    ingestVibration(parts, [{ ...waveform, samples }]),
  )
}

function readEncoding(encoding: unknown): SampleEncoding {
  if (isSampleEncoding(encoding)) return encoding
  throw refuse(`the query parameter "encoding" must be float32 or float64, not ${show(encoding)}`)
}

function countSamples({ length }: Uint8Array, encoding: SampleEncoding): number {
  const width = SAMPLE_BYTES[encoding]
  if (length === 0) throw refuse('the body is empty, expected samples')
  if (length % width !== 0)
    throw refuse(
      `the body has ${length} bytes, which is no whole number of ${encoding} samples of ${width} bytes`,
    )
  return length / width
}

/** A whole number as a number, such as an id or epoch milliseconds; any other text unchanged. */
const toInteger = (text: unknown): unknown =>
  typeof text === 'string' && /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text

const refuse = (sentence: string) => new RefusedError('invalid', sentence)
