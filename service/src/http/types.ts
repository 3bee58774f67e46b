import type { Answers } from './answers.ts'
import type { Access, Failure } from '@plumbline/contract'
import type { RequestSecurity } from './access.ts'
import type { Caller } from './caller.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    failure?: Failure
  }

  interface FastifyInstance {
    answers: Answers
  }

  interface FastifyRequest {
    /** Set on every route that needs a token. */
    caller: Caller
    /** Set on every route that needs the credentials of an application. */
    applicationId: string
    security: RequestSecurity
  }
}
