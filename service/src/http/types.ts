import type { DeflatePool } from '../encodings/deflate-pool.ts'
import type { ResponseObservers } from './responses/response-observers.ts'
import type { Access, AppScope, Failure } from '@plumbline/contract'
import type { KeyTargets } from '../domain/access/key-targets.ts'
import type { RequestSecurity } from './security/access.ts'
import type { RequestAudit } from './security/audit.ts'
import type { Identity } from './security/authenticate.ts'
import type { Caller } from './security/caller.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    scope?: AppScope | undefined
    failure?: Failure
    /** False: it needs more than `read` and changes nothing. */
    isChange?: false
    /** The media types of the body; without them JSON. */
    consumes?: readonly string[]
  }

  interface FastifyInstance {
    responses: ResponseObservers
    /** Compresses all responses. */
    deflatePool: DeflatePool
  }

  interface FastifyRequest {
    /** Set on every route that needs a token. */
    caller: Caller
    /** Who sent it; set with the caller. */
    identity: Identity | null
    /** What its line of the audit log will say. */
    audit: RequestAudit
    /** What the ingest key of the request may write to; null: everything. */
    keyTargets: KeyTargets | null
    /** Set on every route that needs the credentials of an application. */
    applicationId: string
    /** As trusted proxies forward it. */
    clientAddress: string
    security: RequestSecurity
  }
}
