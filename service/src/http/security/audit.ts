import { hash, randomUUID } from 'node:crypto'
import { OPERATIONS } from '@plumbline/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditStore } from '../../storage/storage.ts'
import { memberOf } from '../requests/member-of.ts'
import { describeTarget } from './audit-target.ts'
import type { Who } from './authenticate.ts'
import { failureOf, FailureLines, type Failure } from './failure-lines.ts'

/** What a route says about its change; the other members of its line follow from the request. */
export type RequestAudit = {
  target?: string
  before?: unknown
  after?: unknown
  /** Set once the change is noted. */
  noted?: { id: string; at: number; who: Who }
  /** Set once the line of the change is written. */
  isClosed?: true
}

type AuditOptions = { audit: Pick<AuditStore, 'begin' | 'append' | 'discard'>; now(): number }

/**
 * Leaves a line of the audit log for every request that changes something. It is noted before the
 * handler begins, so no change is without one. What is refused or fails leaves a line too, up to a number in
 * an hour; requests that nobody could send leave none.
 */
export function installAudit(app: FastifyInstance, options: AuditOptions): void {
  const failures = new FailureLines()
  app.decorateRequest('audit')
  app.addHook('onRequest', async (request) => {
    request.audit = {}
  })
  app.addHook('preHandler', async (request) => {
    const { identity } = request
    if (identity !== null && isChange(request)) await noteChange(request, identity.who, options)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    await closeNote(request, { status: reply.statusCode, payload }, failures, options)
    await noteRefusal(request, reply, failures, options)
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
  { status, payload }: { status: number; payload: unknown },
  failures: FailureLines,
  { audit }: AuditOptions,
): Promise<void> {
  const { noted } = request.audit ?? {}
  if (noted === undefined) return
  delete request.audit.noted
  request.audit.isClosed = true
  const failure = failureOf(status)
  if (failure !== undefined && !mayLeaveLine(request, noted, failure, failures))
    return audit.discard(noted.id)
  const response = readJson(payload)
  const isDone = status < 400
  const outcome = isDone ? 'done' : `${status} ${nameOf(response)}`.trimEnd()
  const line = isDone
    ? describe(request, noted, { response })
    : describe(request, noted, { maximum: FAILED_VALUE_MAXIMUM })
  await audit.append({ ...line, outcome }, noted.id)
}

/** Counts a failure; the log has the first one of an hour that leaves no line. */
function mayLeaveLine(
  request: FastifyRequest,
  { at, who }: { at: number; who: Who },
  failure: Failure,
  failures: FailureLines,
): boolean {
  const counted = failures.count(who, failure, at)
  if (counted === 'first without')
    request.log.warn(
      { who },
      'Further changes that fail leave no line in the audit log in this hour: there were too many.',
    )
  return counted === 'line'
}

/** A line for a change that was refused before its handler, since the role or scope does not allow it. */
async function noteRefusal(
  request: FastifyRequest,
  { statusCode }: FastifyReply,
  failures: FailureLines,
  { audit, now }: AuditOptions,
): Promise<void> {
  const { identity } = request
  const isRefusal = statusCode === 403 && identity !== null && isChange(request)
  if (!isRefusal || request.audit?.isClosed !== undefined) return
  const { who } = identity
  const at = now()
  if (!mayLeaveLine(request, { at, who }, 'refused', failures)) return
  const described = describe(request, { at, who }, { maximum: FAILED_VALUE_MAXIMUM })
  const line = { ...described, outcome: '403 Forbidden' }
  // The refusal is answered also where the database takes no line.
  await audit.append(line).catch((error: unknown) => {
    request.log.warn({ err: error }, 'A refused change has no line in the audit log.')
  })
}

function describe(
  request: FastifyRequest,
  { at, who }: { at: number; who: Who },
  { response, maximum = VALUE_MAXIMUM }: { response?: unknown; maximum?: number } = {},
) {
  const { target, before = null, after = request.body ?? null } = request.audit
  const { params, body } = request
  const operation = operationOf(request)
  return {
    at,
    who: { kind: who.kind, name: who.name },
    address: request.clientAddress,
    operation,
    target: target ?? describeTarget({ operation, params, body, response }),
    before: bounded(withoutSecrets(before), maximum),
    after: bounded(withoutSecrets(after), maximum),
  }
}

const OPERATION_BY_ROUTE: ReadonlyMap<string, string> = new Map(
  OPERATIONS.map(({ method, base, url, operationId }) => [`${method} ${base}${url}`, operationId]),
)

function operationOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  const route = `${method} ${url}`
  return OPERATION_BY_ROUTE.get(route) ?? route
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

/** Of what was not done. */
const FAILED_VALUE_MAXIMUM = 1024

function bounded(value: unknown, maximum: number): unknown {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length <= maximum) return JSON.parse(text)
  return { characters: text.length, sha256: hash('sha256', text) }
}

/** A longer response names nothing that was made. */
const RESPONSE_MAXIMUM = 65_536

/** A response as a value; undefined for one that is no short JSON. */
function readJson(payload: unknown): unknown {
  if (typeof payload !== 'string' || payload.length > RESPONSE_MAXIMUM) return undefined
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

/** The name of an error response. */
function nameOf(response: unknown): string {
  const name = memberOf(response, 'name')
  return typeof name === 'string' ? name : ''
}
