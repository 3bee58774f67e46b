import type { ServerResponse } from 'node:http'
import { release } from '../../concurrency/release-memory.ts'
import type { DeflatedText } from '../../storage/storage.ts'
import {
  codingFor,
  contentHeaders,
  JSON_TYPE,
  type Coding,
  type ResponseHeaders,
} from './content-headers.ts'
import type { DeflatePool } from '../../encodings/deflate-pool.ts'
import { GzipMember } from './gzip-member.ts'
import { LongResponse } from './long-response.ts'
import { PlainBody, type ResponseBody } from './response-body.ts'

/** Up to this size a response is buffered and sent with its length. */
const WHOLE_BYTES = 128 * 1024

/** Bytes of a part of a longer response. */
const PART_BYTES = 64 * 1024

/** A chunk of text, the bytes in UTF-8. */
export type TextChunk = string | Uint8Array

/** The chunks of a response: texts, or for clients that accept gzip also deflated texts. */
export type JsonChunks = {
  plain(): AsyncIterable<TextChunk>
  gzip(): AsyncIterable<TextChunk | DeflatedText>
}

/** The client of a response. */
type Recipient = {
  response: ServerResponse
  acceptEncoding: string | string[] | undefined
  pool: DeflatePool
  /** Headers besides those that describe the body. */
  headers?: ResponseHeaders
  /** Called once, before the first byte is sent. */
  begin?(): void
  /** Called when the response is cut off. */
  report(error: unknown): void
}

/**
 * Sends JSON made in chunks: small responses at once, large ones as fast as the client reads.
 *
 * Rejects on an error before the first byte; later errors are reported and cut the response off.
 */
export function writeJson(recipient: Recipient, { plain, gzip }: JsonChunks): Promise<void> {
  return codingFor(recipient.acceptEncoding) === 'gzip'
    ? write(recipient, gzip(), new GzipMember(recipient.pool))
    : write(recipient, plain(), new PlainBody())
}

async function write<Chunk>(
  recipient: Recipient,
  chunks: AsyncIterable<Chunk>,
  body: ResponseBody<Chunk>,
): Promise<void> {
  let long: LongResponse | undefined
  try {
    for await (const chunk of chunks) {
      const added = body.add(chunk)
      if (added !== undefined) await added
      if (body.bytes < (long === undefined ? WHOLE_BYTES : PART_BYTES)) continue
      if (long === undefined) {
        writeHead(recipient, body.coding)
        if (recipient.response.req.method === 'HEAD') return void recipient.response.end()
        long = new LongResponse(recipient.response)
      }
      if (!(await long.send(body.take()))) return long.abandon()
    }
    const ended = body.end()
    if (ended !== undefined) await ended
    if (long === undefined) sendBuffered(recipient, body)
    else if (await long.send(body.take())) long.end()
    else long.abandon()
  } catch (error) {
    if (long === undefined) throw error
    recipient.report(error)
    long.abandon()
  }
}

function writeHead({ response, headers, begin }: Recipient, coding: Coding, length?: number): void {
  begin?.()
  const content = { type: JSON_TYPE, coding, ...(length === undefined ? {} : { length }) }
  response.writeHead(200, { ...headers, ...contentHeaders(content) })
}

/** Sends all buffers as one and releases their memory. */
function sendBuffered(recipient: Recipient, body: ResponseBody<never>): void {
  const buffers = body.take()
  const whole = Buffer.concat(buffers)
  for (const buffer of buffers) release(buffer)
  writeHead(recipient, body.coding, whole.length)
  recipient.response.once('finish', () => release(whole))
  recipient.response.end(whole)
}
