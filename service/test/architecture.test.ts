import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))

const PAGE = fileURLToPath(new URL('../../docs/architecture.md', import.meta.url))

/** What each folder of `src/`, and each file beside them, may import besides itself. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = readRooms()

/** The table of rooms of the page about the architecture: the room, its promise, what it may import. */
function readRooms(): Map<string, string[]> {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## Rooms of `service/src`')
  const rows = section.split('\n## ')[0]?.matchAll(/^\| `([^`]+)` +\|[^|]*\|([^|]*)\|$/gm) ?? []
  return new Map(
    Array.from(rows, ([, room = '', imports = '']) => [
      room,
      Array.from(imports.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
    ]),
  )
}

/** Packages that only one folder knows, or two. */
const ONLY_IN: Readonly<Record<string, string | readonly string[]>> = {
  kysely: 'storage',
  'better-sqlite3': 'storage',
  pg: 'storage',
  fastify: 'http',
  '@fastify/swagger': 'http',
  '@fastify/type-provider-typebox': 'http',
  '@scalar/fastify-api-reference': 'http',
  'prom-client': 'http',
  '@opentelemetry/api': 'tracing',
  '@opentelemetry/exporter-trace-otlp-http': 'tracing',
  '@opentelemetry/resources': 'tracing',
  '@opentelemetry/sdk-trace': 'tracing',
  '@peculiar/x509': 'http',
  'fft.js': 'domain',
  mqtt: ['ingest', 'notifications'],
  nodemailer: 'notifications',
  aedes: 'ingest',
  yauzl: 'ingest',
  sax: ['ingest', 'camera'],
  yaml: ['yaml', 'config'],
  'fast-querystring': 'http',
  'hyparquet-writer': 'export',
}

type Import = { target: string; isType: boolean }
type Source = { name: string; part: string; text: string; imports: Import[] }

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|\bimport\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g

/** `http/routes/data.ts` is part of `http`; a file beside the folders is a part of its own. */
const partOf = (name: string): string => name.split('/')[0]!

const sources: Source[] = globSync('**/*.ts', { cwd: SOURCE })
  .filter((name) => !/\.test\.ts$|(^|\/)_[^/]*$|\.d\.ts$/.test(name))
  .map((name) => {
    const text = readFileSync(join(SOURCE, name), 'utf8')
    const imports = Array.from(text.matchAll(IMPORT), ([, type, from, dynamic, bare]) => {
      const target = from ?? dynamic ?? bare ?? ''
      const isLocal = target.startsWith('.')
      const path = isLocal ? relative(SOURCE, join(SOURCE, dirname(name), target)) : target
      return { target: path, isType: type !== undefined }
    })
    return { name, part: partOf(name), text, imports }
  })

const isLocal = ({ target }: Import): boolean => target.endsWith('.ts')

test('every part of the service has its place in the order', () => {
  assert.deepEqual(
    [...new Set(sources.map(({ part }) => part))].toSorted(),
    [...MAY_IMPORT.keys()].toSorted(),
  )
})

test('a room imports only rooms above it in the table', () => {
  const rooms = [...MAY_IMPORT.keys()]
  const wrong = rooms.flatMap((room, at) =>
    (MAY_IMPORT.get(room) ?? [])
      .filter((one) => !rooms.slice(0, at).includes(one))
      .map((one) => `${room} imports ${one}`),
  )

  assert.deepEqual(wrong, [])
})

test('rooms import what the table says', () => {
  const wrong = sources.flatMap(({ name, part, imports }) =>
    imports
      .filter(isLocal)
      .map(({ target }) => partOf(target))
      .filter((target) => target !== part && !MAY_IMPORT.get(part)?.includes(target))
      .map((target) => `${name} imports ${target}`),
  )

  assert.deepEqual(wrong, [])
})

test('each library is known to one folder', () => {
  const wrong = sources.flatMap(({ name, part, imports }) =>
    imports
      .filter(
        ({ target }) => ONLY_IN[target] !== undefined && ![ONLY_IN[target]].flat().includes(part),
      )
      .map(({ target }) => `${name} imports ${target}`),
  )

  assert.deepEqual(wrong, [])
})

test('the rules and the storage know the contract by its types only', () => {
  const wrong = sources
    .filter(({ part }) => part === 'domain' || part === 'storage')
    .flatMap(({ name, imports }) =>
      imports
        .filter(({ target, isType }) => target.startsWith('@plumbline/') && !isType)
        .map(({ target }) => `${name} imports values of ${target}`),
    )

  assert.deepEqual(wrong, [])
})

test('the rules have no clock, no chance and no files', () => {
  const IMPURE =
    /Date\.now|performance\.now|Math\.random|random(Bytes|Int|UUID)|set(Interval|Timeout)|node:fs/
  const wrong = sources
    .filter(({ part, text }) => part === 'domain' && IMPURE.test(text))
    .map(({ name }) => name)

  assert.deepEqual(wrong, [])
})

test('the environment is read in one place', () => {
  const readers = sources
    .filter(({ text }) => /process\.env(?!\['\w+'\] = )|from 'node:process'/.test(text))
    .map(({ name }) => name)

  assert.deepEqual(readers, ['config/env.ts'])
})

test('signals and exit codes belong to the edges of the processes', () => {
  const wrong = sources
    .filter(({ text }) => /process\.(on|once|exit|exitCode|kill|abort)\b/.test(text))
    .map(({ name }) => name)

  assert.deepEqual(wrong.toSorted(), [
    'backup/continuous/copying-program.ts',
    'main.ts',
    'storage/sql/sealed-days/serve-sealing.ts',
    'worker.ts',
  ])
})

test('the contract imports nothing but its schema library', () => {
  const folder = fileURLToPath(new URL('../../contract/src/', import.meta.url))
  const wrong = globSync('*.ts', { cwd: folder, exclude: ['*.test.ts'] }).flatMap((name) =>
    Array.from(
      readFileSync(join(folder, name), 'utf8').matchAll(IMPORT),
      ([, , from]) => from ?? '',
    )
      .filter((target) => !target.startsWith('.') && target !== 'typebox')
      .map((target) => `${name} imports ${target}`),
  )

  assert.deepEqual(wrong, [])
})
