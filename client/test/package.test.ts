import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as contract from '@plumbline/contract'
import { build } from 'rolldown'
import { INGEST_ENDPOINTS, TOKEN_ENDPOINTS } from '../src/endpoints.ts'
import { ChromiumPage } from '../../service/test/_chromium.ts'
import { eventually } from '../../service/test/_eventually.ts'
import { readSteps } from '../../service/test/docs/_blocks.ts'
import { startDemo, type Demo } from './_demo.ts'
import { compile, makeFolder, pack, ROOT, run } from './_package.ts'

/** Programs of the system, whose Node is older than the one that runs the tests. */
const SYSTEM = { PATH: '/usr/bin:/bin' }

const folder = makeFolder()
const packed = join(folder.path, 'node_modules/@plumbline/client')
let demo: Demo | undefined

before(async () => {
  const tarball = await pack('@plumbline/client', folder.path)
  writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], {
    cwd: folder.path,
    environment: SYSTEM,
  })
  const data = join(folder.path, 'data')
  mkdirSync(data)
  demo = await startDemo(data)
})

after(async () => {
  await demo?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

test('the package brings no other package, and only what is built', () => {
  assert.deepEqual(readdirSync(join(folder.path, 'node_modules/@plumbline')), ['client'])
  assert.deepEqual(
    readdirSync(join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@plumbline'],
  )
  assert.deepEqual(readdirSync(packed).toSorted(), ['README.md', 'dist', 'package.json'])
  assert.ok(!existsSync(join(packed, 'dist/endpoint.d.ts')))
})

test('Node 20 imports it', async () => {
  const program = `import { createClient } from '@plumbline/client'
    const client = createClient({ baseUrl: 'https://localhost:8443', token: 't' })
    console.log(process.version, typeof client.eachThemeRecord)`

  const printed = await run('node', ['--input-type=module', '-e', program], {
    cwd: folder.path,
    environment: SYSTEM,
  })

  assert.match(printed, /^v2\d\.\S+ function\n$/)
})

test('a program compiles against its types, strict and without skipLibCheck', async () => {
  const program = `import { createClient, type Alarm } from '@plumbline/client'
    const client = createClient({ baseUrl: 'https://x', applicationId: 'a', applicationSecret: 's' })
    const { stations } = await client.getThemeData({ stations: [1], limit: 1 })
    const names: string[] = stations.map(({ name }) => name)
    for await (const record of client.eachThemeRecord({ stations: [1], startTime: '', endTime: '' }))
      names.push(record.time)
    const alarms: Alarm[] = await Array.fromAsync(client.eachAlarm({ userId: 1 }))
    // @ts-expect-error the list is of ids
    await client.getThemeData({ stations: ['one'] })
    console.log(names, alarms)`
  writeFileSync(join(folder.path, 'program.ts'), program)

  const options = '--strict --noEmit --module nodenext --target esnext --lib esnext,dom'.split(' ')
  await compile(folder.path, ...options, '--exactOptionalPropertyTypes', 'program.ts')
})

test('its types are those of the contract, type by type and method by method', async () => {
  const types = Array.from(
    readFileSync(join(packed, 'dist/contract.d.ts'), 'utf8').matchAll(/^export type (\w+) =/gm),
    ([, name]) => `holds<Equal<source.${name}, packed.${name}, '${name}'>>()`,
  )
  const methods = contract.OPERATIONS.map(({ operationId }) => {
    const owner =
      operationId in INGEST_ENDPOINTS
        ? 'IngestClient'
        : operationId in TOKEN_ENDPOINTS
          ? 'Client'
          : 'TokenClient'
    const [ours, theirs] = ['source', 'packed'].map((from) => `${from}.${owner}['${operationId}']`)
    return `holds<Equal<${ours}, ${theirs}, '${operationId}'>>()`
  })
  const keys = ['IngestClient', 'Client', 'TokenClient'].map(
    (owner) => `holds<Equal<keyof source.${owner}, keyof packed.${owner}, '${owner}'>>()`,
  )
  const program = `import type * as source from '${join(ROOT, 'client/src/index.ts')}'
import type * as packed from '${join(packed, 'dist/index.js')}'
type Equal<A, B, Name> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : Name
const holds = <_T extends true>(): void => {}
${[...types, ...methods, ...keys].join('\n')}
`
  const project = { extends: join(ROOT, 'tsconfig.json'), include: ['equal.ts'] }
  writeFileSync(join(folder.path, 'equal.ts'), program)
  writeFileSync(
    join(folder.path, 'tsconfig.json'),
    JSON.stringify({ ...project, compilerOptions: { types: [], lib: ['esnext', 'dom'] } }),
  )

  assert.ok(types.length > 40)
  await compile(folder.path, '-p', folder.path)
})

/** What the programs of the README print. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'day.js': /^2022-04-11 08:36:24 -478\.4297\n(?:2022-04-11 08:\d\d:\d\d -\d+(?:\.\d+)?\n){720}$/,
  'errors.js': /structure/,
  'alarms.js': /^$/,
  'ingest.js': /^1 \[\]\n$/,
}

const programs = readSteps('client/README.md').filter((step) => step.kind === 'file')

test('every program of the README has an expectation here, and the reverse', () => {
  assert.deepEqual(programs.map(({ name }) => name).toSorted(), Object.keys(PRINTED).toSorted())
})

for (const { name, text } of programs)
  test(`${name} of the README runs in the Node of the system against the demo site`, async () => {
    const { origin } = demo!.service
    writeFileSync(join(folder.path, name), text.replace('https://localhost:8443', origin))

    const printed = await run('node', [name], {
      cwd: folder.path,
      environment: { ...SYSTEM, ...demo!.environment },
    })

    assert.match(printed, PRINTED[name]!)
  })

test('the first program of the README has ten lines at most', () => {
  const [first] = programs

  assert.ok(first && first.text.trim().split('\n').length <= 10)
})

test('a bundle of it reads a day in Chromium, in a page of the service', async () => {
  const program = `import { createClient } from '@plumbline/client'
    globalThis.read = async (options) => {
      const client = createClient(options)
      const day = { startTime: '2022-04-11 00:00:00', endTime: '2022-04-11 23:59:59' }
      return (await Array.fromAsync(client.eachThemeRecord({ stations: [1001], ...day }))).length
    }`
  writeFileSync(join(folder.path, 'page.js'), program)
  const bundle = await build({
    input: join(folder.path, 'page.js'),
    platform: 'browser',
    write: false,
    output: { format: 'iife' },
    logLevel: 'silent',
  })
  const { APP_ID: applicationId, APP_SECRET: applicationSecret } = demo!.environment
  const options = JSON.stringify({ applicationId, applicationSecret })
  await using page = await ChromiumPage.open(`${demo!.service.origin}/docs`)

  const count = await eventually(async () => {
    assert.ok(await page.evaluate(`location.origin === '${demo!.service.origin}'`))
    return page.evaluate(`${bundle.output[0].code}\nread(${options})`)
  })

  assert.equal(count, 721)
})
