import { hash, randomUUID } from 'node:crypto'
import { OPERATIONS } from '@plumbline/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditStore } from '../../storage/storage.ts'
import { memberOf } from '../requests/member-of.ts'
import type { Who } from './authenticate.ts'

/** What a route says about its change; the other members of its line follow from the request. */
export type RequestAudit = {
  target?: string
  before?: unknown
  after?: unknown
  /** Set once the change is noted. */
  noted?: { id: string; at: number; who: Who }
}

type AuditOptions = { audit: Pick<AuditStore, 'begin' | 'append'>; now(): number }

/**
 * Leaves a line of the audit log for every request that changes something. It is noted before the
 * handler begins, so no change is without one; refused requests that nobody could send leave none.
 */
export function installAudit(app: FastifyInstance, options: AuditOptions): void {
  app.decorateRequest('audit')
  app.addHook('onRequest', async (request) => {
    request.audit = {}
  })
  app.addHook('preHandler', async (request) => {
    const { identity } = request
    if (identity !== null && isChange(request)) await noteChange(request, identity.who, options)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    await closeNote(request, reply, payload, options)
  })
}

/** Notes a change whose person is known only to its handler. */
export async function noteChange(
  request: FastifyRequest,
  who: Who,
  { audit, now }: AuditOptions,
): Promise<void> {
  const noted = { id: randomUUID(), at: now(), who }
  await audit.begin(noted.id, describe(request, noted))
  request.audit.noted = noted
}

const isChange = ({ method, routeOptions: { config } }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (config.access === 'session' ||
    (config.access === 'token' && config.scope !== 'read' && config.isChange !== false))

async function closeNote(
  request: FastifyRequest,
  { statusCode }: FastifyReply,
  payload: unknown,
  { audit }: AuditOptions,
): Promise<void> {
  const { noted } = request.audit ?? {}
  if (noted === undefined) return
  delete request.audit.noted
  const outcome = statusCode < 400 ? 'done' : `${statusCode} ${nameOf(payload)}`.trimEnd()
  await audit.append({ ...describe(request, noted), outcome }, noted.id)
}

function describe(request: FastifyRequest, { at, who }: { at: number; who: Who }) {
  const { target, before = null, after = request.body ?? null } = request.audit
  return {
    at,
    who: { kind: who.kind, name: who.name },
    address: request.clientAddress,
    operation: operationOf(request),
    target: target ?? describeParameters(request.params),
    before: bounded(withoutSecrets(before)),
    after: bounded(withoutSecrets(after)),
  }
}

const OPERATION_BY_ROUTE: ReadonlyMap<string, string> = new Map(
  OPERATIONS.map(({ method, base, url, operationId }) => [`${method} ${base}${url}`, operationId]),
)

function operationOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  const route = `${method} ${url}`
  return OPERATION_BY_ROUTE.get(route) ?? route
}

const describeParameters = (parameters: unknown): string | null => {
  const entries = Object.entries(parameters ?? {})
  return entries.length === 0
    ? null
    : entries.map(([name, value]) => `${name}=${String(value)}`).join(' ')
}

const SECRET = /password|secret|code$|token/i

/** A copy in which nothing is named like a secret. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (value instanceof Uint8Array) return describeBytes(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRET.test(name))
      .map(([name, one]) => [name, withoutSecrets(one)]),
  )
}

/** Bytes as JSON would be a list of numbers, which takes seconds to write and to hash. */
const describeBytes = (bytes: Uint8Array): { bytes: number; sha256: string } => ({
  bytes: bytes.length,
  sha256: hash('sha256', bytes),
})

/** The most characters of a value; of a longer one the line has its length and hash. */
const VALUE_MAXIMUM = 16_384

function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length <= VALUE_MAXIMUM) return JSON.parse(text)
  return { characters: text.length, sha256: hash('sha256', text) }
}

/** The name of an error response. */
function nameOf(payload: unknown): string {
  try {
    const name = memberOf(typeof payload === 'string' ? JSON.parse(payload) : payload, 'name')
    return typeof name === 'string' ? name : ''
  } catch {
    return ''
  }
}
