import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { acceptsGzip } from './accepts-gzip.ts'
import { GZIP_SETTINGS } from './gzip-pool.ts'
import { release } from './release.ts'

/** Smaller pieces, such as the heads between stations, go along with the next large one. */
const SMALL_BYTES = 4 * 1024

/**
 * Sends pieces one after another, each when the one before it has left.
 *
 * So a client that reads slowly, or not at all, costs one piece of memory, whatever the answer's
 * length. When a piece cannot be read the connection is cut: the client sees that the end is missing.
 */
export async function sendLong(
  reply: FastifyReply,
  pieces: AsyncIterable<Uint8Array>,
): Promise<FastifyReply> {
  const isGzip = acceptsGzip(reply.request.headers['accept-encoding'])
  void reply.header('vary', 'accept-encoding')
  if (isGzip) void reply.header('content-encoding', 'gzip')
  const headers = reply.getHeaders()
  const { raw } = reply.hijack()
  raw.writeHead(200, headers as Record<string, string>)

  const gone = new Promise<false>((resolve) => raw.once('close', () => resolve(false)))
  const sink = isGzip ? compressInto(raw) : raw
  try {
    for await (const piece of pieces) {
      if (piece.length < SMALL_BYTES) {
        sink.write(piece)
        continue
      }
      if (!(await Promise.race([write(sink, piece), gone]))) return abandon(reply, sink)
      release(piece)
    }
    sink.end()
    return reply
  } catch (error) {
    reply.log.error({ err: error }, 'an answer was cut off')
    return abandon(reply, sink)
  }
}

/** A client that has gone is no fault of ours; one that stays sees that the end is missing. */
function abandon(reply: FastifyReply, sink: Writable): FastifyReply {
  sink.destroy()
  reply.raw.destroy()
  return reply
}

function compressInto(raw: ServerResponse): Writable {
  const gzip = createGzip(GZIP_SETTINGS)
  gzip.pipe(raw)
  gzip.on('error', () => raw.destroy())
  return gzip
}

/** Whether a piece has left; false when there is nobody to take it. */
const write = (sink: Writable, piece: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    sink.write(piece, (error) => resolve(!error))
  })
