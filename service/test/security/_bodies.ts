import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import {
  connectRaw,
  exchange,
  readToEnd,
  splitResponses,
  type RawResponse,
  type Server,
} from '../faults/_raw.ts'
import { KEY, TOKEN } from '../faults/_site.ts'

export const MEGABYTE = 1024 * 1024

/** The head of a POST, with a key, a token or neither. */
export const head = (path: string, headers: Record<string, string | number> = {}): string =>
  `${[
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ].join('\r\n')}\r\n\r\n`

export const WITH_KEY = { Authorization: `Bearer ${KEY}` }

/** The credentials of the application that `makeDataFolder` knows. */
export const BASIC = { Authorization: `Basic ${Buffer.from('app:').toString('base64')}` }
export const WRONG_BASIC = { Authorization: `Basic ${Buffer.from('app:no').toString('base64')}` }

export const withToken = (path: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}token=${TOKEN}`

export async function send(
  server: Server,
  ...parts: (string | Uint8Array)[]
): Promise<RawResponse> {
  const [response] = splitResponses(await exchange(server, ...parts))
  assert.ok(response !== undefined, 'the connection was closed without an answer')
  return response
}

/** Sends parts with a pause after each, so that the service has read one before the next arrives. */
export async function sendSlowly(
  server: Server,
  ...parts: (string | Uint8Array)[]
): Promise<RawResponse> {
  const socket = await connectRaw(server)
  const received = readToEnd(socket)
  for (const part of parts) {
    socket.write(part)
    await sleep(50)
  }
  const [response] = splitResponses(await received)
  socket.destroy()
  assert.ok(response !== undefined, 'the connection was closed without an answer')
  return response
}

/** Bytes as a chunk of a body with `Transfer-Encoding: chunked`. */
export const inChunk = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

/** A body that is sent whole. */
export const post = (
  server: Server,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string | number> = {},
): Promise<RawResponse> =>
  send(
    server,
    head(path, { 'Content-Length': Buffer.byteLength(body), Connection: 'close', ...headers }),
    body,
  )

/** One text repeated and compressed, without being in memory whole. */
export async function gzipOf(text: string, times: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 })
  const chunks: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(gzip, 'end')
  const part = text.repeat(Math.min(times, 10_000))
  for (let left = times; left > 0; left -= 10_000)
    if (!gzip.write(left < 10_000 ? text.repeat(left) : part)) await once(gzip, 'drain')
  gzip.end()
  await ended
  return Buffer.concat(chunks)
}

export const messageOf = ({ body }: RawResponse): string =>
  (JSON.parse(body) as { message: string }).message
