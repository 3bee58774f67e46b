/**
 * The limit of the runtime: the answers' bytes lie in memory and go out as they are, or
 * compressed anew for every request that takes gzip.
 *
 * It has the answer of every path: compressing the same bytes over and over would be a third
 * cheaper, since the processor learns them.
 */
import { gzip } from 'node:zlib'
import { listen, receiveSettings } from './listen.ts'

const settings = await receiveSettings()
const headers = { 'content-type': 'application/json; charset=utf-8' }

listen(settings, (request, response) => {
  const answer = settings.answers!.get(request.url!)!
  if (request.headers['accept-encoding'] !== 'gzip') {
    response.writeHead(200, { ...headers, 'content-length': answer.length })
    response.end(answer)
    return
  }
  gzip(answer, { level: 1 }, (_error, body) => {
    response.writeHead(200, {
      ...headers,
      'content-encoding': 'gzip',
      'content-length': body.length,
    })
    response.end(body)
  })
})
