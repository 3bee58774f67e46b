import { request, type Agent } from 'node:https'

export type Fetched = { status: number; headers: Record<string, unknown>; body: Buffer }

/** One request over HTTPS, checking the certificate; without an agent on a connection of its own. */
export function fetchHttps(options: {
  port: number
  ca: string
  path: string
  method?: string
  headers?: Record<string, string>
  content?: string | Uint8Array
  agent?: Agent
}): Promise<Fetched> {
  const { port, ca, path, method = 'GET', headers = {}, content, agent = false } = options
  return new Promise((resolve, reject) => {
    const target = { host: 'localhost', port, path, method, headers, ca, agent, family: 4 }
    const sent = request(target, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      )
    })
    sent.setTimeout(120_000, () => sent.destroy(new Error(`no answer to ${method} ${path}`)))
    sent.on('error', reject)
    sent.end(content)
  })
}
