/**
 * The limit of the runtime: the answers' bytes lie in memory and go out as they are. To clients
 * that take gzip go bytes compressed beforehand, or where it was given none, compressed anew for
 * every request.
 *
 * It has the answer of every path: compressing the same bytes over and over would be a third
 * cheaper, since the processor learns them.
 */
import type { ServerResponse } from 'node:http'
import { gzip } from 'node:zlib'
import { listen, receiveSettings } from './listen.ts'

const settings = await receiveSettings()
const PLAIN = { 'content-type': 'application/json; charset=utf-8' }
const GZIP = { ...PLAIN, 'content-encoding': 'gzip' }

listen(settings, (request, response) => {
  const { url = '' } = request
  const body = settings.responses?.get(url)
  if (body === undefined) return response.writeHead(404).end()
  if (request.headers['accept-encoding'] !== 'gzip') return send(response, PLAIN, body)
  const compressed = settings.compressed?.get(url)
  if (compressed !== undefined) return send(response, GZIP, compressed)
  gzip(body, { level: 1 }, (_error, bytes) => send(response, GZIP, bytes))
})

function send(response: ServerResponse, headers: Record<string, string>, body: Uint8Array): void {
  response.writeHead(200, { ...headers, 'content-length': body.length })
  response.end(body)
}
