import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  changeApplicationScope,
  createApplication as createOperation,
  listApplications,
  renewApplicationSecret,
  revokeApplication,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { createApplication, renewSecret } from '../../site/applications.ts'
import type { Storage } from '../../storage/storage.ts'
import { requireAllStructures } from '../security/require-all-structures.ts'

type ApplicationRoutesOptions = { storage: Pick<Storage, 'applications' | 'site'>; now(): number }

/** For users who may see every structure, since an application may act for any user. */
export const applicationRoutes: FastifyPluginAsyncTypebox<ApplicationRoutesOptions> = async (
  app,
  { storage, now },
) => {
  const { applications } = storage
  requireAllStructures(app, 'applications')

  app.route({
    ...listApplications,
    handler: async () => ({
      applications: (await applications.list()).map(({ id, ...rest }) => ({ appId: id, ...rest })),
    }),
  })

  app.route({ ...createOperation, handler: ({ body }) => createApplication(storage, body) })

  app.route({
    ...changeApplicationScope,
    handler: async ({ params: { appId }, body: { scope }, audit }, reply) => {
      const before = (await applications.list()).find(({ id }) => id === appId)
      audit.before = before === undefined ? null : { scope: before.scope }
      if (!(await applications.changeScope(appId, scope))) throw unknown(appId)
      return reply.code(204).send()
    },
  })

  app.route({
    ...renewApplicationSecret,
    handler: async ({ params: { appId } }) => {
      const renewed = await renewSecret(applications, appId)
      if (renewed === undefined) throw unknown(appId)
      return renewed
    },
  })

  app.route({
    ...revokeApplication,
    handler: async ({ params: { appId } }, reply) => {
      if (!(await applications.revoke(appId, now()))) throw unknown(appId)
      return reply.code(204).send()
    },
  })
}

const unknown = (id: string) => new RefusedError('absent', `There is no active application ${id}.`)
