import { isUtf8 } from 'node:buffer'
import { RefusedError } from '../../errors/refused-error.ts'
import { JsonScan, type JsonLimits } from '../../json/json-scan.ts'
import { readJson } from '../../json/read-json.ts'

/**
 * Parses a payload within the limits of request bodies; other work runs while a long one is parsed.
 *
 * A bare value need not be JSON: loggers also send `+21.30`.
 */
export async function readContent(
  payload: Uint8Array,
  { isBareValue, limits }: { isBareValue: boolean; limits: JsonLimits },
): Promise<{ message: unknown } | { problem: string }> {
  if (!isUtf8(payload)) return { problem: 'the payload is not UTF-8 text' }
  const scan = new JsonScan(limits, { takesList: true })
  try {
    await scan.pushInSlices(payload)
    const message = await readJson(payload, scan, 'payload')
    if (message !== undefined) return { message }
    return isBareValue ? { message: '' } : { problem: 'the payload is empty' }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    if (!(error.cause instanceof SyntaxError)) return { problem: error.message }
    if (isBareValue) return { message: Buffer.from(payload).toString().trim() }
    return { problem: `${error.message}: ${error.cause.message}` }
  }
}
