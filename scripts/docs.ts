/**
 * Builds the documentation as a site that needs no server: `npm run docs` writes `build/site`.
 *
 * `-- --serve` shows it at http://localhost:8000, `--port` chooses another port, `--output` another folder.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildSite } from './docs/build-site.ts'
import { serveSite } from './docs/serve-site.ts'

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '8000' },
    output: { type: 'string' },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const output = resolve(values.output ?? `${root}build/site`)
if (values.output === undefined) rmSync(output, { recursive: true, force: true })

const pages = buildSite(root, output)
console.log(`${pages.length} pages: ${output}/index.html`)

if (values.serve) {
  const server = serveSite(output, Number(values.port))
  await once(server, 'listening')
  console.log(`http://localhost:${values.port}`)
}
