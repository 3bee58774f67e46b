import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { codingFor, contentHeaders, type Coding } from '../responses/content-headers.ts'
import { partsOf } from '../responses/send-bytes.ts'

type EncodedFile = { bytes: Buffer; etag: string }

const compress = promisify(gzip)

/** A public file that is loaded and compressed at the first request, and sent as the client reads. */
export class PublicFile {
  readonly #load: () => Promise<Buffer | string>
  #encoded: Promise<Record<Coding, EncodedFile>> | undefined

  constructor(load: () => Promise<Buffer | string>) {
    this.#load = load
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#encoded ??= this.#encode()
    const coding = codingFor(request.headers['accept-encoding'])
    const { bytes, etag } = (await this.#encoded)[coding]
    void reply.header('vary', 'accept-encoding').header('etag', etag)
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    void reply.headers(contentHeaders({ coding, length: bytes.length }))
    return reply.send(Readable.from(partsOf(bytes), { objectMode: false }))
  }

  async #encode() {
    try {
      const content = await this.#load()
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
      return {
        identity: { bytes, etag: `"${hash}"` },
        gzip: { bytes: await compress(bytes), etag: `"${hash}-gzip"` },
      }
    } catch (error) {
      this.#encoded = undefined
      throw error
    }
  }
}

/** `If-None-Match` (RFC 9110, 13.1.2): `*`, or a list with this tag, compared weakly. */
const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
