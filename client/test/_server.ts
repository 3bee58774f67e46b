import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Seen = {
  method: string
  url: string
  authorization: string
  contentType: string
  body: string
}

type TestResponse = { status?: number; headers?: Record<string, string>; body?: unknown }

/** Sends the response that `respond` makes of a request; `undefined` leaves it without a response. */
export async function startServer(respond: (seen: Seen) => TestResponse | undefined) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    const entry = {
      method,
      url,
      body,
      authorization: headers.authorization ?? '',
      contentType: headers['content-type'] ?? '',
    }
    seen.push(entry)
    const made = respond(entry)
    if (!made) return
    const text = typeof made.body === 'string' ? made.body : JSON.stringify(made.body)
    response.writeHead(made.status ?? 200, made.headers).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
