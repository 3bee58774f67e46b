import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyReader } from './body-reader.ts'

/** A body of bytes in a buffer of its own, such as a waveform file. */
export class Octets {
  readonly bytes: Uint8Array<ArrayBuffer>
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes
  }
}

/** Makes the routes of an app read `application/octet-stream` as bytes; other routes read it as JSON. */
export function readOctets(app: FastifyInstance, bodies: BodyReader): void {
  app.addContentTypeParser(/^application\/octet-stream/i, (request: FastifyRequest) =>
    bodies.read(request, (bytes) => new Octets(bytes), { isParsedInThread: true }),
  )
}
