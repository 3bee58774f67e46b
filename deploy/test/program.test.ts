import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { findForbidden } from '../../scripts/release/licences.ts'
import { readLock } from '../../scripts/release/build-program.ts'
import { findAllShipped } from '../../scripts/release/packages.ts'
import { CONSOLE, PROGRAM } from '../../scripts/release/shipped-programs.ts'
import { makeBareRoot } from './_bare-root.ts'
import { buildHere, ROOT, VERSION } from './_build.ts'
import { Machine } from './_machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-program-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const root = join(folder, 'root')
const program = join(root, 'plumbline')
mkdirSync(root)
await buildHere(program)

const readText = (name: string) => readFileSync(join(program, name), 'utf8')

test('the program serves in a root that has no Node and no package manager', async () => {
  await makeBareRoot(root)
  mkdirSync(join(root, 'data'))
  await using machine = await Machine.start({ root })
  const command = '/plumbline/bin/plumbline'
  const env = { PLUMBLINE_DATA: '/data', HOME: '/tmp' }

  const { stdout: version } = await machine.run([command, '--version'], { env })
  const none = await machine.run(['node', '--version'])
  const service = await machine.begin([command, 'serve', '--demo'], /Browse the interface/, { env })
  const structures = await readStructures(machine, service.output())
  const health = await machine.run([command, 'health'], { env })

  assert.equal(version, `plumbline ${VERSION}\n`)
  assert.notEqual(none.code, 0)
  assert.match(structures, /Munich/)
  assert.deepEqual([health.code, health.stdout], [0, 'The service is ready.\n'])
  assert.equal(await service.stop(), 0)
})

/** Gets a token and the structures, with what the service has printed. */
async function readStructures(machine: Machine, printed: string): Promise<string> {
  const [, id] = /application id: +(\S+)/.exec(printed) ?? []
  const [, secret] = /application secret: +(\S+)/.exec(printed) ?? []
  const trusted = ['--cacert', join(root, 'data/tls/certificate.pem')]
  const base = 'https://localhost:8443/api/v1'
  const login = ['-u', `${id}:${secret}`, '-d', 'grant_type=client_credentials']
  const { token } = JSON.parse(await machine.curl(...trusted, ...login, `${base}/oauth2/token`))
  return machine.curl(...trusted, `${base}/structures?token=${token}`)
}

test('no page of the program leads to a file that is not shipped', () => {
  const pages = readdirSync(program, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /^(docs\/|[A-Z]+\.md)/.test(name) && name.endsWith('.md'),
  )
  const dead = pages.flatMap((page) =>
    Array.from(readText(page).matchAll(/\]\((?!\w+:)([^()#\s]+)/g), ([, path = '']) => path)
      .filter((path) => !existsSync(join(program, dirname(page), path)))
      .map((path) => `${page}: ${path}`),
  )

  assert.ok(pages.length > 20)
  assert.deepEqual(dead, [])
})

test('the bill of materials is valid CycloneDX 1.6 and names every package', () => {
  const { resolve } = createRequire(import.meta.url)
  const schemas = join(resolve('@cyclonedx/cyclonedx-library/package.json'), '../res/schema')
  const schema = (name: string) =>
    JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'))
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  for (const name of ['iri-reference', 'idn-email']) ajv.addFormat(name, true)
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  const bom = JSON.parse(readText('sbom.cdx.json'))

  const isValid = ajv.validate(schema('bom-1.6'), bom)

  assert.deepEqual([isValid, ajv.errors ?? []], [true, []])
  const shipped = findAllShipped(readLock(ROOT), [PROGRAM, CONSOLE]).filter(
    ({ integrity }) => integrity,
  )
  const names = (bom.components as { group?: string; name: string; version: string }[]).map(
    ({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name} ${version}`,
  )
  assert.ok(shipped.length > 100)
  for (const { name, version } of shipped) assert.ok(names.includes(`${name} ${version}`), name)
  for (const name of [`node ${process.versions.node}`, 'sqlite', 'libatomic'])
    assert.ok(
      names.some((one) => one.startsWith(name)),
      name,
    )
})

test('every package has a licence that is allowed, and its text is shipped', () => {
  const shipped = findAllShipped(readLock(ROOT), [PROGRAM, CONSOLE]).map((one) => ({
    ...one,
    folder: '',
  }))
  const texts = readText('LICENSES.txt')

  assert.deepEqual(findForbidden(shipped), [])
  assert.match(texts, /^fastify \d+\.\d+\.\d+: LICENSE$/m)
  assert.match(texts, /^node \d+\.\d+\.\d+: LICENSE$/m)
  assert.match(texts, /GNU GENERAL PUBLIC LICENSE/)
})

test('a licence that is not allowed is named, and so is a package without one', () => {
  const one = { name: 'borrowed', version: '1.0.0', folder: '' }

  const sentences = findForbidden([
    { ...one, license: 'MIT' },
    { ...one, license: 'AGPL-3.0' },
    { ...one, license: undefined },
  ])

  assert.deepEqual(sentences, [
    'borrowed 1.0.0 has the licence "AGPL-3.0", which is not on the list of scripts/release/licences.ts.',
    'borrowed 1.0.0 has the licence "none", which is not on the list of scripts/release/licences.ts.',
  ])
})
