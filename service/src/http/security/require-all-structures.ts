import type { FastifyInstance } from 'fastify'
import { RefusedError } from '../../errors/refused-error.ts'

/** Answers 403 to users who do not see every structure; `what` names what the routes give. */
export function requireAllStructures(app: FastifyInstance, what: string): void {
  app.addHook('preHandler', async ({ caller }) => {
    if (caller.scope !== 'all')
      throw new RefusedError(
        'forbidden',
        `Only users with access to all structures can use ${what}.`,
      )
  })
}
