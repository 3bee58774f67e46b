import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { codingFor, contentHeaders, type Coding } from '../responses/content-headers.ts'

/** A client that reads nothing costs one part of memory beside what all share. */
const PART_BYTES = 64 * 1024

type Form = { bytes: Buffer; etag: string }

const compress = promisify(gzip)

/** A public file: made once, compressed once, and sent in parts as the client reads. */
export class PublicFile {
  readonly #load: () => Promise<Buffer | string>
  #forms: Promise<Record<Coding, Form>> | undefined

  constructor(load: () => Promise<Buffer | string>) {
    this.#load = load
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#forms ??= this.#make()
    const coding = codingFor(request.headers['accept-encoding'])
    const { bytes, etag } = (await this.#forms)[coding]
    void reply.header('vary', 'accept-encoding').header('etag', etag)
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    void reply.headers(contentHeaders({ coding, length: bytes.length }))
    return reply.send(Readable.from(partsOf(bytes), { objectMode: false }))
  }

  async #make() {
    try {
      const content = await this.#load()
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
      return {
        identity: { bytes, etag: `"${hash}"` },
        gzip: { bytes: await compress(bytes), etag: `"${hash}-gzip"` },
      }
    } catch (error) {
      this.#forms = undefined
      throw error
    }
  }
}

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}

/** RFC 9110, 13.1.2: one of a list, compared weakly, or `*`. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(',').some((known) => ['*', etag].includes(known.trim().replace(/^W\//, '')))
