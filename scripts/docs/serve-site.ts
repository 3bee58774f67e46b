import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}

/** Serves the files of a folder to this machine. */
export const serveSite = (folder: string, port: number): Server =>
  createServer((request, response) => {
    readPage(folder, request.url ?? '/').then(
      ({ type, content }) =>
        response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(content),
      () => response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.'),
    )
  }).listen(port, '127.0.0.1')

async function readPage(
  folder: string,
  address: string,
): Promise<{ type: string; content: Buffer }> {
  const { pathname } = new URL(address, 'http://localhost')
  const path = normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname)
  const type = TYPES[extname(path)] ?? 'text/plain; charset=utf-8'
  return { type, content: await readFile(join(folder, path)) }
}
