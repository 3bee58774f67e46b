import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { Failed, OPERATIONS, type Operation, type TSchema } from '@plumbline/contract'
import { asNode } from '../../schemas/schema-node.ts'
import { toOpenApi } from './openapi-schema.ts'
import { PublicFile } from './public-file.ts'
import { installPage } from './reference-page.ts'

const SECURITY: Record<string, Record<string, string[]>[]> = {
  credentials: [{ credentials: [] }],
  token: [{ tokenInQuery: [] }, { token: [] }],
  key: [{ ingestKey: [] }],
}

/** `/openapi.json` from the contract, and a page at `/docs` to read it. */
export async function installReference(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Plumbline',
        version: '1.0.0',
        description:
          'The structural-health-monitoring interface, and the ways to send data in. Every call uses HTTPS.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      components: {
        securitySchemes: {
          credentials: {
            type: 'http',
            scheme: 'basic',
            description: 'Application id and secret, on the token endpoints.',
          },
          tokenInQuery: { type: 'apiKey', in: 'query', name: 'token' },
          token: { type: 'http', scheme: 'bearer', description: 'The access token.' },
          ingestKey: { type: 'http', scheme: 'bearer', description: 'An ingest key.' },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: describe(schema, route as unknown as Partial<Operation>),
    }),
    transformObject: (documented) => {
      const { openapiObject } = documented as { openapiObject: OpenApi }
      for (const path of Object.values(openapiObject.paths)) {
        markOptionalBodies(path)
        describeOctets(path)
      }
      return openapiObject as never
    },
  })
  const document = new PublicFile(async () => JSON.stringify(app.swagger()))
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
    document.send(request, reply.type('application/json; charset=utf-8')),
  )
  installPage(app)
}

type DocumentedOperation = {
  operationId?: string
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
}
type OpenApi = { paths: Record<string, Record<string, DocumentedOperation>> }

const OPTIONAL_BODIES = new Set(
  OPERATIONS.filter(({ schema }) => schema.body !== undefined && '~optional' in schema.body).map(
    ({ operationId }) => operationId,
  ),
)

function markOptionalBodies(path: Record<string, DocumentedOperation>): void {
  for (const { operationId = '', requestBody } of Object.values(path))
    if (requestBody !== undefined && OPTIONAL_BODIES.has(operationId)) requestBody.required = false
}

const OCTETS = { type: 'string', format: 'binary' }

/** Bytes have no members. */
function describeOctets(path: Record<string, DocumentedOperation>): void {
  for (const { requestBody } of Object.values(path)) {
    if (requestBody?.content['application/octet-stream'] !== undefined)
      requestBody.content['application/octet-stream'] = { schema: OCTETS }
  }
}

const FAILED_RESPONSE = {
  ...toOpenApi(asNode(Failed)),
  description: 'Refused; the message says why.',
}

const describeResponse = (status: string, node: TSchema): object =>
  status === '204'
    ? { type: 'null', description: 'Done; there is no body.' }
    : { ...toOpenApi(asNode(node)), description: 'The answer.' }

function describe(schema: FastifySchema, operation: Partial<Operation>): FastifySchema {
  const { operationId, summary, noun, consumes, config } = operation
  if (operationId === undefined) return schema
  const parts = Object.entries(operation.schema ?? {}).filter(([part]) => part !== 'response')
  const responses = Object.entries(operation.schema?.response ?? {})
  return {
    ...Object.fromEntries(parts.map(([part, node]) => [part, toOpenApi(asNode(node as TSchema))])),
    operationId,
    summary,
    tags: [noun],
    ...(operation.schema?.body === undefined ? {} : { consumes: consumes ?? ['application/json'] }),
    security: SECURITY[config?.access ?? 'token'],
    response: {
      ...Object.fromEntries(
        responses.map(([status, node]) => [status, describeResponse(status, node)]),
      ),
      '4xx': FAILED_RESPONSE,
    },
  } as FastifySchema
}
