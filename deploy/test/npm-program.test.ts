import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeFolder, run } from '../../client/test/_package.ts'
import { readLock } from '../../scripts/release/build-program.ts'
import { writeNpmProgram } from '../../scripts/release/npm-program.ts'
import { findShipped } from '../../scripts/release/packages.ts'
import { PROGRAM } from '../../scripts/release/shipped-programs.ts'
import { eventually } from '../../service/test/_eventually.ts'
import { freePort } from '../../service/test/_free-port.ts'
import { EPOCH_SECONDS, ROOT, VERSION } from './_build.ts'

/** Programs of the system, whose Node is older than the one that runs the tests. */
const SYSTEM = { PATH: '/usr/bin:/bin' }

const folder = makeFolder()
const installed = join(folder.path, 'node_modules/plumbline')
after(() => folder[Symbol.dispose]())

before(async () => {
  const file = join(folder.path, `plumbline-${VERSION}.tgz`)
  await writeNpmProgram({
    root: ROOT,
    lock: readLock(ROOT),
    work: folder.path,
    file,
    version: VERSION,
    epochSeconds: EPOCH_SECONDS,
    level: 1,
  })
  writeFileSync(join(folder.path, 'package.json'), '{}')
  await npm('install', '--prefer-offline', '--no-audit', '--no-fund', file)
})

const npm = (...args: string[]): Promise<string> =>
  run('npm', args, { cwd: folder.path, environment: SYSTEM })

const filesOf = (ending: string): string[] =>
  readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith(ending) && /^(service|node_modules\/@plumbline)\//.test(name),
  )

test('no source with types is installed, and no program names one', () => {
  const programs = filesOf('.js')
  const naming = programs.filter((name) =>
    /['"`]\.{1,2}\/[^'"`\n]*\.ts\b/.test(readFileSync(join(installed, name), 'utf8')),
  )

  assert.ok(programs.length > 500)
  assert.deepEqual(filesOf('.ts'), [])
  assert.deepEqual(naming, [])
})

test('npm fetches the Node of this platform and nothing else', () => {
  const fetched = readdirSync(join(folder.path, 'node_modules')).filter(
    (name) => !name.startsWith('.') && name !== 'plumbline',
  )

  assert.deepEqual(fetched, [`node-${process.platform}-${process.arch}`])
})

const versionOf = (path: string): unknown =>
  JSON.parse(readFileSync(join(installed, path, 'package.json'), 'utf8')).version

test('every package has the version of package-lock.json', () => {
  const lock = readLock(ROOT)
  const shipped = findShipped(lock, PROGRAM).filter(({ path }) => path.startsWith('node_modules/'))

  assert.ok(shipped.length > 60)
  assert.deepEqual(
    shipped.map(({ path }) => [path, versionOf(path)]),
    shipped.map(({ path, version }) => [path, version]),
  )
})

test('"npx plumbline serve --demo" of Node 20 serves, and commands work beside it', async () => {
  const port = await freePort()
  mkdirSync(join(folder.path, 'backup'))
  const environment = { ...process.env, ...SYSTEM, PLUMBLINE_HTTP_PORT: String(port) }
  const service = spawn(join(folder.path, 'node_modules/.bin/plumbline'), ['serve', '--demo'], {
    cwd: folder.path,
    env: { ...environment, PLUMBLINE_OPS_PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  try {
    await eventually(() => assert.match(printed, /Browse the interface/), 90_000)
    const page = await get(`https://localhost:${port}/openapi.json`)
    const start = await get(`https://localhost:${port}/console/`)
    // Each runs programs of its own: the hashes of a backup, and the thread of the database.
    const backup = await npm('exec', '--', 'plumbline', 'backup', 'backup', '--verify')
    const key = await npm('exec', '--', 'plumbline', 'key', 'create', '--name', 'tried')

    assert.equal(JSON.parse(page).openapi, '3.1.0')
    assert.match(start, /<script type="module"/)
    assert.match(backup, /have the checksums of its manifest/)
    assert.match(key, /ingest key: plk_/)
  } finally {
    service.kill('SIGTERM')
    await once(service, 'exit')
  }
})

/** A response of the service, whose certificate nobody has signed. */
const get = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(url, { rejectUnauthorized: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(text))
    })
      .on('error', reject)
      .end()
  })
