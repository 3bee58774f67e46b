import type { Answers } from './responses/response-log.ts'
import type { Access, Failure } from '@plumbline/contract'
import type { RequestSecurity } from './security/access.ts'
import type { Caller } from './security/caller.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    failure?: Failure
  }

  interface FastifyInstance {
    responses: Answers
  }

  interface FastifyRequest {
    /** Set on every route that needs a token. */
    caller: Caller
    /** Set on every route that needs the credentials of an application. */
    applicationId: string
    security: RequestSecurity
  }
}
