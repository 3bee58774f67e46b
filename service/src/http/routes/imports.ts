import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  cancelImport,
  getImport,
  listImports,
  sendImportFile,
  startImport,
} from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import type { ImportJobs } from '../../ingest/imports/import-jobs.ts'
import type { BodyReader } from '../requests/bodies/body-reader.ts'
import type { AuditStore } from '../../storage/storage.ts'
import { noteChange } from '../security/audit.ts'
import { requireAllStructures } from '../security/require-all-structures.ts'

type ImportRoutesOptions = {
  imports: ImportJobs
  bodies: BodyReader
  audit: AuditStore
  now(): number
}

/** For users who may see every structure, since a file may have records of any of them. */
export const importRoutes: FastifyPluginAsyncTypebox<ImportRoutesOptions> = async (
  app,
  { imports, bodies, audit, now },
) => {
  requireAllStructures(app, 'imports')

  app.route({ ...startImport, handler: ({ body }) => imports.start(body) })

  await app.register(fileRoutes, { imports, bodies, audit, now })

  app.route({
    ...listImports,
    handler: async ({ query }) => ({ imports: await imports.list(query) }),
  })

  app.route({ ...getImport, handler: ({ params: { importId } }) => imports.get(importId) })

  app.route({
    ...cancelImport,
    handler: async ({ params: { importId } }, reply) => {
      await imports.cancel(importId)
      return reply.code(204).send()
    },
  })
}

const fileRoutes: FastifyPluginAsyncTypebox<ImportRoutesOptions> = async (
  app,
  { imports, bodies, audit, now },
) => {
  // Clients name many media types for a file.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    bodies.read(request, (bytes) => ({ part: bytes })),
  )

  app.route({
    ...sendImportFile,
    handler: async (request) => {
      const { params, query, body, identity } = request
      const { offset, isLast = false } = query
      const { part } = body
      if (part instanceof Blob) throw new TypeError('a part is received as bytes')
      request.audit.after = { bytes: offset + part.length }
      if (isLast && identity !== null) await noteChange(request, identity.who, { audit, now })
      return imports.receive(params.importId, { offset, bytes: part, isLast })
    },
  })
}
