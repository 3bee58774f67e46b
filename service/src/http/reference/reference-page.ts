import fastify, { type FastifyInstance } from 'fastify'
import { PublicFile } from '../responses/public-file.ts'

/** No external content and no inline scripts; the library of the page needs inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Plumbline: the interface</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="app"></div>
    <noscript><a href="/openapi.json">The interface as OpenAPI</a></noscript>
    <script src="js/scalar.js"></script>
    <script src="js/start.js"></script>
  </body>
</html>
`

const CONFIGURATION = {
  url: '/openapi.json',
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
} as const

/** The server of the examples is the one that the page came from, so that they can be pasted. */
const START = `Scalar.createApiReference('#app', {
  ...${JSON.stringify(CONFIGURATION)},
  servers: [{ url: location.origin }],
})
`

const JAVASCRIPT = 'application/javascript; charset=utf-8'
const LIBRARY_CACHE = 'public, max-age=86400'

/** Serves a page at `/docs` that shows the OpenAPI document. */
export function installPage(app: FastifyInstance): void {
  const serve = (url: string, type: string, content: string | PublicFile, cache = 'no-store') =>
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      if (url === '/docs' && !/^[^?]*\/(\?|$)/.test(request.url)) return reply.redirect('/docs/')
      void reply
        .header('content-type', type)
        .header('content-security-policy', POLICY)
        .header('cache-control', cache)
      return typeof content === 'string' ? reply.send(content) : content.send(request, reply)
    })

  serve('/docs', 'text/html; charset=utf-8', PAGE)
  serve('/docs/js/start.js', JAVASCRIPT, START)
  // The library has four megabytes and is loaded at the first request.
  serve('/docs/js/scalar.js', JAVASCRIPT, new PublicFile(loadLibrary), LIBRARY_CACHE)
}

async function loadLibrary(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const page = fastify()
  await page.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION })
  return (await page.inject('/docs/js/scalar.js')).rawPayload
}
