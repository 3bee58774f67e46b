import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { Failed, OPERATIONS, type Operation, type TSchema } from '@plumbline/contract'
import { asNode } from '../../schemas/schema-node.ts'
import { bodyWithExample, exampleOf, parametersWithExamples } from './examples.ts'
import { toOpenApi } from './openapi-schema.ts'
import { PublicFile } from '../responses/public-file.ts'
import { installPage } from './reference-page.ts'
import { GROUP_TEXTS, RESPONSE_TEXTS } from './reference-texts.ts'
import { VERSION } from './version.ts'

const SECURITY = {
  credentials: [{ credentials: [] }],
  token: [{ tokenInQuery: [] }, { token: [] }, { session: [] }],
  session: [{ session: [] }],
  body: [],
  key: [{ ingestKey: [] }],
}

const LICENCE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const DESCRIPTION = `The structural-health-monitoring interface below \`/api/v1\`, ingest below \`/ingest/v1\` and management below \`/manage/v1\`. All requests use HTTPS.

An application gets a token with its id and secret (\`issueToken\`), and sends it with every other request, as \`Authorization: Bearer TOKEN\` or \`?token=TOKEN\`. Devices write with an ingest key.

While the service uses the certificate that it made itself, add \`--cacert certificate.pem\` to a \`curl\` line, with a copy of \`tls/certificate.pem\` of its data folder.`

/**
 * Serves the OpenAPI document of the contract at `/openapi.json`, and a page to read it at `/docs`. Without a public address the server of the document is relative.
 */
export async function installReference(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Plumbline',
        version: VERSION,
        description: DESCRIPTION,
        license: LICENCE,
      },
      servers: [{ url: publicUrl === '' ? '/' : publicUrl.replace(/\/$/, '') }],
      tags: Object.entries(GROUP_TEXTS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          credentials: {
            type: 'http',
            scheme: 'basic',
            description: 'Application id and secret, for the token operations.',
          },
          tokenInQuery: { type: 'apiKey', in: 'query', name: 'token' },
          token: { type: 'http', scheme: 'bearer', description: 'The access token.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-plumbline',
            description: 'The session of a signed-in account (`signIn`).',
          },
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
  // The example is one of JSON. Both media types have the same object.
  const lines = requestBody.content['application/x-ndjson']
  if (lines !== undefined)
    requestBody.content['application/x-ndjson'] = { ...lines, example: undefined }
}

const FAILED_RESPONSE = {
  ...toOpenApi(asNode(Failed)),
  description: 'The request was refused; the message gives the reason.',
}

const RESPONSES: ReadonlyMap<string, string> = new Map(Object.entries(RESPONSE_TEXTS))

function describeResponse(operation: Operation, status: string, node: TSchema): object {
  const description = RESPONSES.get(operation.operationId) ?? 'The response.'
  if (status === '204') return { type: 'null', description }
  const { produces } = operation
  if (produces !== undefined) return { description, content: { [produces]: { schema: OCTETS } } }
  return { ...bodyWithExample(node, exampleOf(operation).response), description }
}

/** What an operation needs of the application besides its token. */
const describeScope = ({ config: { scope = 'read' } }: Operation): { description?: string } =>
  scope === 'read' ? {} : { description: `The application needs the scope \`${scope}\`.` }

function describe(operation: Operation): FastifySchema {
  const { operationId, summary, noun, consumes = ['application/json'], config } = operation
  const { response, params, querystring, body } = operation.schema
  const example = exampleOf(operation)
  return {
    ...(params && { params: parametersWithExamples(params, example.params) }),
    ...(querystring && { querystring: parametersWithExamples(querystring, example.query) }),
    ...(body && { body: bodyWithExample(body, example.body), consumes: [...consumes] }),
    operationId,
    summary,
    ...describeScope(operation),
    tags: [noun],
    security: SECURITY[config.access ?? 'token'],
    response: {
      ...Object.fromEntries(
        Object.entries(response).map(([status, node]) => [
          status,
          describeResponse(operation, status, node),
        ]),
      ),
      '4xx': FAILED_RESPONSE,
    },
  }
}
