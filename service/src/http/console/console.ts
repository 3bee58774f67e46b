import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { PublicFile } from '../responses/public-file.ts'

/**
 * Everything comes from here. A stylesheet is a file; what a script sets on an element is no inline style.
 * Pictures of the operator's tile server are added by `tiles`.
 */
const policyWith = (tiles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' blob: data:${tiles === '' ? '' : ` ${tiles}`}`,
    "font-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The names of assets have a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const FOLDER = join(import.meta.dirname, '../../../../console/dist')

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><title>Plumbline</title><meta charset="utf-8" /></head>
  <body>
    <p>The console is not built. In the checkout, run <code>npm run console</code> and start the service again.</p>
    <p>Programs read the same data: <a href="/docs/">the interface</a>.</p>
  </body>
</html>
`

/** Serves the console at `/console/`, with its assets as the build named them; `/` leads there. */
export function installConsole(app: FastifyInstance, folder = FOLDER): void {
  const policy = policyWith('')
  const serve = (url: string, type: string, cache: string, file: PublicFile) =>
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      // The addresses of the page are relative to the folder.
      if (url === '/console' && !/^[^?]*\/(\?|$)/.test(request.url))
        return reply.redirect('/console/')
      void reply
        .header('content-type', type)
        .header('cache-control', cache)
        .header('content-security-policy', policy)
      return file.send(request, reply)
    })

  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/console/'))
  const page = join(folder, 'index.html')
  serve(
    '/console',
    TYPES['.html']!,
    'no-cache',
    new PublicFile(async () => (existsSync(page) ? readFileSync(page) : NOT_BUILT)),
  )
  for (const name of assetsOf(folder))
    serve(
      `/console/assets/${name}`,
      TYPES[extname(name)] ?? 'application/octet-stream',
      FOR_EVER,
      new PublicFile(() => readFile(join(folder, 'assets', name))),
    )
}

const assetsOf = (folder: string): string[] =>
  existsSync(join(folder, 'assets')) ? readdirSync(join(folder, 'assets')) : []
