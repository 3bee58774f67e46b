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
import type { DeflatePool } from './deflate-pool.ts'
import { GzipMember } from './gzip-member.ts'
import { LongResponse } from './long-response.ts'
import { PlainBody, type ResponseBody } from './response-body.ts'

/** Up to this size a response is gathered and sent whole, with its length. */
const WHOLE_BYTES = 128 * 1024

/** Bytes of a longer response that are sent at once. */
const PART_BYTES = 64 * 1024

type Text = string | Uint8Array

/** The chunks of a response: only a client that accepts gzip may be given compressed ones. */
export type JsonChunks = {
  plain(): AsyncIterable<Text>
  gzip(): AsyncIterable<Text | DeflatedText>
}

/** Where a response goes. */
export type Recipient = {
  response: ServerResponse
  acceptEncoding: string | string[] | undefined
  /** Compresses the response. */
  pool: DeflatePool
  /** Headers beyond those that say what the body is. */
  headers?: ResponseHeaders
  /** Called once, right before the first byte is sent. */
  begin?(): void
  /** Called when a response had to be cut off. */
  report(error: unknown): void
}

/**
 * Sends JSON made in chunks: small responses whole, large ones as fast as the client reads.
 *
 * Throws as long as nothing is sent; after the first byte a response that cannot go on is cut off.
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
      const isTaken = body.add(chunk)
      if (isTaken !== undefined) await isTaken
      if (body.bytes < (long === undefined ? WHOLE_BYTES : PART_BYTES)) continue
      if (long === undefined) {
        writeHead(recipient, body.coding)
        if (recipient.response.req.method === 'HEAD') return void recipient.response.end()
        long = new LongResponse(recipient.response)
      }
      if (!(await long.send(body.take()))) return long.abandon()
    }
    const isClosed = body.end()
    if (isClosed !== undefined) await isClosed
    if (long === undefined) sendGathered(recipient, body)
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

/** One buffer of all parts; they and it are released as soon as they are sent. */
function sendGathered(recipient: Recipient, body: ResponseBody<never>): void {
  const parts = body.take()
  const whole = Buffer.concat(parts)
  for (const part of parts) release(part)
  writeHead(recipient, body.coding, whole.length)
  recipient.response.once('finish', () => release(whole))
  recipient.response.end(whole)
}
