import { createGunzip } from 'node:zlib'
import { BATCH_MAXIMUM } from '@plumbline/contract'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { RefusedError } from '../domain/refused-error.ts'

/** Reads bodies as clients really send them: empty JSON, forms with blanks around, gzip. */
export function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/x-www-form-urlencoded/i,
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => readForm(body),
  )
  app.addContentTypeParser(
    /^application\/(x-)?(ndjson|jsonlines|json-seq)/i,
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => readLines(readText(body)),
  )
  // Whatever else it is called, a body that is none of these is JSON or refused.
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => readJson(readText(body)),
  )
  app.addHook('preParsing', async (request, _reply, payload) => inflate(request, payload))
}

/** Records that came one a line; each is checked where it is stored. */
export class Lines {
  readonly records: unknown[]
  constructor(records: unknown[]) {
    this.records = records
  }
}

function readForm(body: string): Record<string, string> {
  const form: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(body.trim())) form[name.trim()] = value.trim()
  return form
}

/** Without the byte order mark that some editors and loggers write. */
const readText = (body: Buffer): string => body.toString().replace(/^\uFEFF/, '')

function readJson(body: string): unknown {
  if (body.trim() === '') return undefined
  try {
    return JSON.parse(body)
  } catch {
    throw new RefusedError('invalid', 'the body is not JSON')
  }
}

/**
 * A line that is not JSON becomes a record that is refused by its number, not the whole batch.
 *
 * Lines beyond the first too many are not looked at: the batch is refused.
 */
function readLines(body: string): Lines {
  const records: unknown[] = []
  for (let at = 0; at < body.length && records.length <= BATCH_MAXIMUM;) {
    const end = body.indexOf('\n', at)
    const line = body.slice(at, end < 0 ? undefined : end)
    if (line.trim() !== '') records.push(readLine(line))
    at = end < 0 ? body.length : end + 1
  }
  return new Lines(records)
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

function inflate(request: FastifyRequest, payload: RequestPayload): RequestPayload {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return payload
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new RefusedError('invalid', 'Content-Encoding must be gzip or left out')

  const inflated = createGunzip()
  payload.on('error', (error) => inflated.destroy(error))
  inflated.on('error', () => payload.unpipe(inflated))
  const counted = Object.assign(payload.pipe(inflated), { receivedEncodedLength: 0 })
  payload.on('data', (chunk: Buffer) => {
    counted.receivedEncodedLength += chunk.length
  })
  return counted
}
