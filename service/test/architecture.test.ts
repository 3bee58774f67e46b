import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))

/** What each folder of `src/`, and each file beside them, may import besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  encodings: ['errors'],
  concurrency: ['errors'],
  domain: ['errors', 'encodings', 'concurrency'],
  schemas: ['errors'],
  config: ['domain', 'errors', 'schemas'],
  storage: ['domain', 'errors', 'encodings', 'concurrency', 'json'],
  threads: ['domain', 'errors'],
  analysis: ['domain', 'threads', 'errors'],
  yaml: ['errors', 'schemas'],
  json: ['domain', 'errors'],
  background: ['errors', 'storage'],
  access: ['domain'],
  ingest: [
    'access',
    'background',
    'config',
    'domain',
    'errors',
    'encodings',
    'concurrency',
    'storage',
    'threads',
    'analysis',
    'schemas',
    'yaml',
    'json',
    'commit',
    'derivation',
  ],
  commit: ['domain', 'errors', 'concurrency', 'storage', 'alarms'],
  derivation: ['domain', 'errors', 'concurrency', 'storage', 'commit'],
  deletion: ['domain', 'errors', 'storage', 'commit', 'derivation'],
  site: ['domain', 'storage', 'schemas', 'yaml', 'errors'],
  alarms: ['domain', 'storage', 'background', 'errors', 'concurrency'],
  camera: ['domain', 'storage', 'errors'],
  clock: ['domain', 'storage', 'background', 'errors'],
  sealing: ['domain', 'storage', 'background', 'errors'],
  retention: ['domain', 'storage', 'background', 'errors'],
  export: ['domain', 'storage', 'errors', 'encodings'],
  notifications: ['domain', 'storage', 'background', 'errors'],
  http: [
    'access',
    'clock',
    'background',
    'domain',
    'errors',
    'encodings',
    'concurrency',
    'storage',
    'threads',
    'analysis',
    'schemas',
    'json',
    'ingest',
    'commit',
    'derivation',
    'deletion',
    'site',
    'alarms',
    'notifications',
    'retention',
    'camera',
  ],
  startup: [
    'access',
    'clock',
    'domain',
    'errors',
    'config',
    'storage',
    'json',
    'background',
    'commit',
    'derivation',
    'ingest',
    'alarms',
    'sealing',
    'retention',
    'notifications',
    'http',
  ],
  'service.ts': ['clock', 'config', 'ingest', 'http', 'startup', 'storage'],
  demo: ['domain', 'errors', 'storage', 'commit', 'ingest', 'site'],
  cli: [
    'clock',
    'alarms',
    'domain',
    'errors',
    'concurrency',
    'encodings',
    'config',
    'storage',
    'ingest',
    'commit',
    'derivation',
    'deletion',
    'background',
    'sealing',
    'retention',
    'site',
    'notifications',
    'demo',
    'export',
    'startup',
    'service.ts',
  ],
  'main.ts': ['cli', 'errors'],
}

/** Packages that only one folder knows, or two. */
const ONLY_IN: Readonly<Record<string, string | readonly string[]>> = {
  kysely: 'storage',
  'better-sqlite3': 'storage',
  fastify: 'http',
  '@fastify/swagger': 'http',
  '@fastify/type-provider-typebox': 'http',
  '@scalar/fastify-api-reference': 'http',
  'prom-client': 'http',
  '@peculiar/x509': 'http',
  'fft.js': 'domain',
  mqtt: ['ingest', 'notifications'],
  nodemailer: 'notifications',
  aedes: 'ingest',
  yauzl: 'ingest',
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
    Object.keys(MAY_IMPORT).toSorted(),
  )
})

test('imports go one way', () => {
  const wrong = sources.flatMap(({ name, part, imports }) =>
    imports
      .filter(isLocal)
      .map(({ target }) => partOf(target))
      .filter((target) => target !== part && !MAY_IMPORT[part]?.includes(target))
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

  assert.deepEqual(wrong, ['main.ts', 'storage/sqlite/sealed-days/sealing-program.ts'])
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
