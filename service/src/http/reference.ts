import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance, type FastifySchema } from 'fastify'
import type { Operation } from '@plumbline/contract'

/** Nothing is loaded from outside, whatever the page would like. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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
      schema: { ...schema, ...describe(route as unknown as Partial<Operation>) } as FastifySchema,
    }),
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  installPage(app)
}

function describe({ operationId, summary, noun, consumes, config, schema }: Partial<Operation>) {
  if (operationId === undefined) return {}
  const failed = { description: 'Refused; the message says why.', $ref: undefined }
  return {
    operationId,
    summary,
    tags: [noun],
    consumes: schema?.body === undefined ? undefined : (consumes ?? ['application/json']),
    security: SECURITY[config?.access ?? 'token'],
    response: { ...schema?.response, '4xx': { ...FAILED, description: failed.description } },
  }
}

const FAILED = {
  type: 'object',
  required: ['name', 'message'],
  properties: { name: { type: 'string' }, message: { type: 'string' } },
}

/** The page's four megabytes are loaded when somebody first looks at it. */
function installPage(app: FastifyInstance): void {
  let page: Promise<FastifyInstance> | undefined
  const answer = async (url: string) => {
    const { statusCode, headers, rawPayload } = await (await (page ??= openPage())).inject(url)
    return { statusCode, type: String(headers['content-type'] ?? 'text/plain'), rawPayload }
  }
  for (const url of ['/docs', '/docs/js/scalar.js'])
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      if (url === '/docs' && !request.url.split('?')[0]!.endsWith('/'))
        return reply.redirect('/docs/')
      const { statusCode, type, rawPayload } = await answer(url === '/docs' ? '/docs/' : url)
      return reply
        .code(statusCode)
        .header('content-type', type)
        .header('content-security-policy', PAGE_POLICY)
        .header('x-content-type-options', 'nosniff')
        .send(rawPayload)
    })
}

async function openPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const page = fastify()
  await page.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Plumbline: the interface',
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
    },
  })
  return page
}
