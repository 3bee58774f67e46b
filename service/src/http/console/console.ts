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

export type Tiles = { url: string; attribution: string }

/** The origin alone is let through: a path of the policy would not follow a redirection. */
const originOf = (url: string): string =>
  url === '' ? '' : new URL(url.replaceAll(/[{}]/g, '')).origin

/** The page tells the console of the tile server, so that the first map needs no other request. */
const withTiles = (page: string, { url, attribution }: Tiles): string =>
  url === ''
    ? page
    : page.replace(
        '<head>',
        () => `<head>
    <meta name="plumbline-tiles" content="${escape(url)}" />
    <meta name="plumbline-tiles-attribution" content="${escape(attribution)}" />`,
      )

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Serves the console at `/console/`, with its assets as the build named them; `/` leads there. */
export function installConsole(
  app: FastifyInstance,
  { tiles, folder = FOLDER }: { tiles: Tiles; folder?: string },
): void {
  const policy = policyWith(originOf(tiles.url))
  const page = join(folder, 'index.html')
  const index = new PublicFile(async () =>
    existsSync(page) ? withTiles(readFileSync(page, 'utf8'), tiles) : NOT_BUILT,
  )
  const assets = new Map(
    assetsOf(folder).map((name) => [
      name,
      new PublicFile(() => readFile(join(folder, 'assets', name))),
    ]),
  )

  app.get('/', HIDDEN, async (_request, reply) => reply.redirect('/console/'))
  app.get('/console', HIDDEN, async (request, reply) => {
    // The addresses of the page are relative to the folder.
    if (!/^[^?]*\/(\?|$)/.test(request.url)) return reply.redirect('/console/')
    void reply
      .header('content-type', TYPES['.html'])
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy)
    return index.send(request, reply)
  })
  app.get<{ Params: { name: string } }>('/console/assets/:name', HIDDEN, async (request, reply) => {
    const { name } = request.params
    const file = assets.get(name)
    if (file === undefined) return reply.callNotFound()
    void reply
      .header('content-type', TYPES[extname(name)] ?? 'application/octet-stream')
      .header('cache-control', FOR_EVER)
    return file.send(request, reply)
  })
}

const HIDDEN = { schema: { hide: true } }

const assetsOf = (folder: string): string[] =>
  existsSync(join(folder, 'assets')) ? readdirSync(join(folder, 'assets')) : []
