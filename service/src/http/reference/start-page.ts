import type { FastifyInstance } from 'fastify'
import { VERSION } from './version.ts'

/** The page loads nothing, and writes its own styles. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Plumbline</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark }
      dt { font-weight: bold }
    </style>
  </head>
  <body>
    <h1>Plumbline</h1>
    <p>
      A data service for structural health monitoring: bridges, tunnels, dams, slopes. It stores the
      records of sensors, and programs read structures, time series, waveforms, thresholds, alarms
      and cameras from it. Everything but this page and the reference needs an access token.
    </p>
    <dl>
      <dt><a href="/docs/">The reference</a></dt>
      <dd>every operation with its parameters, examples and <code>curl</code> lines</dd>
      <dt><a href="/openapi.json">The interface as OpenAPI 3.1</a></dt>
      <dd>for programs that make clients</dd>
    </dl>
    <p>
      Credentials come from the operator of this service, by
      <code>plumbline app create --user ID</code> on its machine. The documents beside the program
      begin with <code>README.md</code>.
    </p>
    <p>Version ${VERSION}</p>
  </body>
</html>
`

/** Serves a page at `/` that says what this is, for people who open the address in a browser. */
export function installStartPage(app: FastifyInstance): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-store')
      .send(PAGE),
  )
}
