import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { Failed, OPERATIONS, type Operation, type TSchema } from '@plumbline/contract'
import { asNode } from '../../schemas/schema-node.ts'
import { toOpenApi } from './openapi-schema.ts'
import { PublicFile } from './public-file.ts'
import { installPage } from './reference-page.ts'

const SECURITY = {
  credentials: [{ credentials: [] }],
  token: [{ tokenInQuery: [] }, { token: [] }],
  key: [{ ingestKey: [] }],
}

const LICENCE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

/** Serves the OpenAPI document of the contract at `/openapi.json` and a page to read it at `/docs`. */
export async function installReference(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Plumbline',
        version: '1.0.0',
        description:
          'The structural-health-monitoring interface, ingest and management. All requests use HTTPS.',
        license: LICENCE,
      },
      components: {
        securitySchemes: {
          credentials: {
            type: 'http',
            scheme: 'basic',
            description: 'Application id and secret, for the token operations.',
          },
          tokenInQuery: { type: 'apiKey', in: 'query', name: 'token' },
          token: { type: 'http', scheme: 'bearer', description: 'The access token.' },
          ingestKey: { type: 'http', scheme: 'bearer', description: 'An ingest key.' },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const operation = OPERATION_BY_ROUTE.get(`${String(route.method)} ${url}`)
      return { url, schema: operation === undefined ? schema : describe(operation) }
    },
    transformObject: (documented) => {
      if ('swaggerObject' in documented) return documented.swaggerObject
      for (const path of Object.values(documented.openapiObject.paths ?? {}))
        for (const method of METHODS) completeBody(path?.[method])
      return documented.openapiObject
    },
  })
  const document = new PublicFile(async () => JSON.stringify(app.swagger()))
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
    document.send(request, reply.type('application/json; charset=utf-8')),
  )
  installPage(app)
}

const OPERATION_BY_ROUTE: ReadonlyMap<string, Operation> = new Map(
  OPERATIONS.map((operation) => [
    `${operation.method} ${operation.base}${operation.url}`,
    operation,
  ]),
)

const OPTIONAL_BODIES = new Set(
  OPERATIONS.filter(({ schema }) => schema.body !== undefined && '~optional' in schema.body).map(
    ({ operationId }) => operationId,
  ),
)

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

const OCTETS = { type: 'string', format: 'binary' } as const

type DocumentedOperation = {
  operationId?: string
  requestBody?: { $ref: string } | { required?: boolean; content: Record<string, object> }
}

/** Marks an optional body as such, and describes a body of bytes, which has no members. */
function completeBody({ operationId = '', requestBody }: DocumentedOperation = {}): void {
  if (requestBody === undefined || '$ref' in requestBody) return
  if (OPTIONAL_BODIES.has(operationId)) requestBody.required = false
  if ('application/octet-stream' in requestBody.content)
    requestBody.content['application/octet-stream'] = { schema: OCTETS }
}

const FAILED_RESPONSE = {
  ...toOpenApi(asNode(Failed)),
  description: 'The request was refused; the message gives the reason.',
}

const describeResponse = (status: string, node: TSchema): object =>
  status === '204'
    ? { type: 'null', description: 'Done; the response has no body.' }
    : { ...toOpenApi(asNode(node)), description: 'The response.' }

function describe(operation: Operation): FastifySchema {
  const { operationId, summary, noun, consumes = ['application/json'], config } = operation
  const { response, ...parts } = operation.schema
  return {
    ...Object.fromEntries(
      Object.entries(parts).map(([part, node]) => [part, toOpenApi(asNode(node))]),
    ),
    operationId,
    summary,
    tags: [noun],
    ...(parts.body === undefined ? {} : { consumes }),
    security: SECURITY[config.access ?? 'token'],
    response: {
      ...Object.fromEntries(
        Object.entries(response).map(([status, node]) => [status, describeResponse(status, node)]),
      ),
      '4xx': FAILED_RESPONSE,
    },
  }
}
