import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { exportAudit, listAudit } from '@plumbline/contract'
import { auditCsv } from '../../encodings/audit-csv.ts'
import { sendTexts } from '../responses/send-bytes.ts'
import type { Storage } from '../../storage/storage.ts'
import { requireWholeSite } from '../security/require-whole-site.ts'

/** For callers who see every structure: lines are about any of them. */
export const auditRoutes: FastifyPluginAsyncTypebox<{ storage: Pick<Storage, 'audit'> }> = async (
  app,
  { storage: { audit } },
) => {
  app.addHook('preHandler', requireWholeSite('the audit log'))

  app.route({
    ...listAudit,
    handler: async ({ query }) => ({ lines: await audit.list(query) }),
  })

  app.route({
    ...exportAudit,
    handler: async ({ query }, reply) => {
      void reply.header('content-disposition', 'attachment; filename="audit.csv"')
      const texts = auditCsv((page) => audit.list({ ...query, ...page }))
      return sendTexts(reply, exportAudit.produces, texts)
    },
  })
}
