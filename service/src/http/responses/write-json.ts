import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { acceptsGzip } from './accepts-gzip.ts'
import { PlainBody, type ResponseBody } from './response-body.ts'
import { GzipMember } from './gzip-member.ts'
import { LongResponse } from './long-response.ts'
import { release } from '../../concurrency/release-memory.ts'
import type { DeflatedText } from '../../storage/storage.ts'

/** Up to here an answer is gathered and sent whole, with its length. */
const WHOLE_BYTES = 128 * 1024

/** So much of a longer answer is sent at once. */
const PART_BYTES = 64 * 1024

type Text = string | Uint8Array

/** The pieces of an answer: only a client that takes gzip may be given compressed ones. */
export type JsonPieces = {
  plain(): AsyncIterable<Text>
  gzip(): AsyncIterable<Text | DeflatedText>
}

/** Where an answer goes. */
export type Recipient = {
  response: ServerResponse
  acceptEncoding: string | string[] | undefined
  /** Headers beyond those that say what the body is. */
  headers?: OutgoingHttpHeaders
  /** Called once, right before the first byte is sent. */
  begin?(): void
  /** Told when an answer had to be cut off. */
  report(error: unknown): void
}

/**
 * Sends JSON made in pieces: small answers whole, large ones as fast as the client reads.
 *
 * Throws as long as nothing is sent; after the first byte an answer that cannot go on is cut off.
 */
export function writeJson(recipient: Recipient, { plain, gzip }: JsonPieces): Promise<void> {
  return acceptsGzip(recipient.acceptEncoding)
    ? write(recipient, gzip(), new GzipMember())
    : write(recipient, plain(), new PlainBody())
}

async function write<Piece>(
  recipient: Recipient,
  pieces: AsyncIterable<Piece>,
  body: ResponseBody<Piece>,
): Promise<void> {
  let long: LongResponse | undefined
  try {
    for await (const piece of pieces) {
      const isTaken = body.add(piece)
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
    if (long === undefined) sendWhole(recipient, body)
    else if (await long.send(body.take())) long.end()
    else long.abandon()
  } catch (error) {
    if (long === undefined) throw error
    recipient.report(error)
    long.abandon()
  }
}

function writeHead(
  { response, headers, begin }: Recipient,
  coding: ResponseBody<never>['coding'],
  length?: number,
): void {
  begin?.()
  const all: OutgoingHttpHeaders = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    vary: 'accept-encoding',
  }
  if (coding !== 'identity') all['content-encoding'] = coding
  if (length !== undefined) all['content-length'] = length
  response.writeHead(200, all)
}

/** One buffer of all parts; they and it are given back as soon as they have served. */
function sendWhole(recipient: Recipient, body: ResponseBody<never>): void {
  const parts = body.take()
  const whole = Buffer.concat(parts)
  for (const part of parts) release(part)
  writeHead(recipient, body.coding, whole.length)
  recipient.response.once('finish', () => release(whole))
  recipient.response.end(whole)
}
