import type { FastifyRequest } from 'fastify'
import { RefusedError } from '../../errors/refused-error.ts'

/** A hook that throws 403 for callers who do not see every structure; `what` names what they wanted. */
export const requireWholeSite =
  (what: string) =>
  async ({ caller }: FastifyRequest): Promise<void> => {
    if (caller.scope !== 'all')
      throw new RefusedError(
        'forbidden',
        `Only users with access to all structures can use ${what}.`,
      )
  }
