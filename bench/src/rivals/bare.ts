/**
 * The limit of the runtime: a server that sends bytes from memory.
 *
 * Clients that accept gzip get bytes that were compressed beforehand; where there are none, the
 * server compresses every response. It has the bytes of every path, since compressing the same
 * bytes repeatedly costs a third less: the branch predictor learns them.
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
