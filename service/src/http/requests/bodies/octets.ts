import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyReader } from './body-reader.ts'

/** Bytes that are no text, in memory of their own. */
export class Octets {
  readonly bytes: Uint8Array<ArrayBuffer>
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes
  }
}

/** Lets the routes of an app get bytes as they are; elsewhere `octet-stream` is a name for JSON. */
export function readOctets(app: FastifyInstance, bodies: BodyReader): void {
  app.addContentTypeParser(/^application\/octet-stream/i, (request: FastifyRequest) =>
    bodies.read(request, (bytes) => new Octets(bytes), { isParsedElsewhere: true }),
  )
}
