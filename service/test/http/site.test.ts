import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { manageAs, type Manage } from './_manage.ts'

const WITH_PASSWORD = SITE.replace('rtsp://192.0.2.10', 'rtsp://viewer:topsecret@192.0.2.10')

let service: TestService
let call: Manage

before(async () => {
  service = await withService({ site: WITH_PASSWORD })
  call = await manageAs(service)
})

after(() => service[Symbol.asyncDispose]())

const read = async () => (await call('GET', '/site')).json<{ text: string; version: number }>()

const plan = async (body: object) => (await call('POST', '/site/plan', body)).json()

/** A site file that is read in a thread, with the name of its last station. */
function longSite(name: string): string {
  const stations = Array.from({ length: 3000 }, (_, at) => `{ id: ${7000 + at}, name: SG-${at} }`)
  const list = [...stations, `{ id: 10000, name: ${name} }`].map((one) => `          - ${one}\n`)
  return `structures:
  - id: 77
    name: Long bridge
    type: 2
    latitude: 1
    longitude: 2
    timeZone: Asia/Shanghai
    factors:
      - factor: 15
        stations:
${list.join('')}`
}

describe('a long site file', () => {
  test('is compared while other requests are answered, and applied', async () => {
    const text = longSite('the last')
    assert.ok(text.length > 64 * 1024)

    const turns = { count: 0 }
    const timer = setInterval(() => turns.count++, 5)
    const planned = await plan({ text })
    clearInterval(timer)

    assert.deepEqual(planned.problems, [])
    assert.equal(planned.refusal, null)
    assert.equal(planned.changes.length, 3002)
    // Read on the main thread, it leaves one or two.
    assert.ok(turns.count > 10, `${turns.count} turns`)
    const { version } = await read()
    const applied = await call('POST', '/site/apply', { text, version })
    assert.equal(applied.status, 200, applied.text)
    assert.match((await read()).text, /name: the last/)
  })

  test('has its problems named with their lines', async () => {
    const text = longSite('[not a name]')

    const { problems } = await plan({ text })

    assert.equal(problems.length, 1)
    assert.equal(problems[0].line, text.split('\n').length - 1)
    assert.match(problems[0].path, /^structures\[0\]\.factors\[0\]\.stations\[3000\]\.name/)
  })
})

describe('getSite', () => {
  test('gives a site file that changes nothing, without the passwords of cameras', async () => {
    const { text, version } = await read()
    const planned = await plan({ text })

    assert.match(text, /source: rtsp:\/\/\*+@192\.0\.2\.10/)
    assert.doesNotMatch(text, /topsecret/)
    assert.deepEqual(planned, {
      version,
      problems: [],
      changes: [],
      lines: ['nothing to change'],
      refusal: null,
      losses: [],
    })
  })

  test('and its operations need the scope admin and access to all structures', async () => {
    const [river, operator] = [await manageAs(service, 2), await manageAs(service, 1, 'operate')]

    for (const one of [river, operator]) {
      assert.equal((await one('GET', '/site')).status, 403)
      assert.equal((await one('POST', '/site/plan', { text: SITE })).status, 403)
      assert.equal((await one('POST', '/site/apply', { text: SITE, version: 1 })).status, 403)
    }
  })
})

describe('planSite', () => {
  test('lists every problem of a file with its line and place', async () => {
    const text = SITE.replace('longitude: 114.3055', 'longitude: 514').replace(
      'projects: [7]',
      'projects: [8]',
    )
    const { problems, changes, refusal } = (await call('POST', '/site/plan', { text })).json()

    const lineOf = (words: string) => text.split('\n').findIndex((line) => line.includes(words)) + 1
    assert.deepEqual(
      problems.map(({ line, path }: any) => [line, path]),
      [[lineOf('longitude: 514'), 'structures[0].longitude']],
    )
    assert.match(problems[0].message, /514/)
    assert.deepEqual([changes, refusal], [[], null])
  })

  test('names what a file adds, alters and removes, and changes nothing', async () => {
    const { text, version } = await read()
    const renamed = text.replace('东塔', 'East tower')

    const planned = await plan({ text: renamed })

    assert.deepEqual(planned.changes, [
      {
        change: 'alter',
        kind: 'camera',
        id: '1',
        name: 'East tower',
        structure: 1,
        fields: [{ path: 'location', from: '东塔', to: 'East tower' }],
      },
    ])
    assert.deepEqual(planned.lines, [
      '~ camera 1 东塔: location "东塔" -> "East tower"',
      '0 to add, 1 to change, 0 to remove',
    ])
    assert.deepEqual(await read(), { text, version })
  })

  test('says what would be lost, and why records are not rewritten while the service runs', async () => {
    const key = await service.createKey()
    const records = [{ station: 1002, time: '2026-01-01 08:00:00', values: { strain: 1 } }]
    assert.equal((await service.ingest('theme', key, { records })).json().accepted, 1)
    const { text } = await read()
    const without = text
      .replace(/^ *- \{ id: 1002, .*\n/m, '')
      .replace('stations: [ 1001, 1002 ]', 'stations: [ 1001 ]')
    const other = text.replace('unit: µε', 'unit: mm/m')

    const removal = await plan({ text: without })
    const deleting = await plan({ text: without, deleteRecords: true })
    const converting = await plan({ text: other, units: 'convert' })
    const relabelling = await plan({ text: other, units: 'relabel' })

    assert.match(removal.refusal, /no longer has station 1002/)
    assert.match(removal.losses[0], /station 1002 .*1 record will be deleted/)
    assert.deepEqual([deleting.refusal, deleting.losses], [null, removal.losses])
    assert.match(converting.refusal, /Stop the service/)
    assert.equal(relabelling.refusal, null)
  })
})

describe('applySite', () => {
  test('applies a file to the version that it was compared with, and to no other', async () => {
    const { text, version } = await read()
    const first = text.replace('东塔', 'West tower')
    const second = text.replace('东塔', 'South tower')

    const applied = await call('POST', '/site/apply', { text: first, version })
    const late = await call('POST', '/site/apply', { text: second, version })
    const again = await call('POST', '/site/apply', { text: first, version: version + 1 })
    const after = await read()

    assert.deepEqual([applied.status, applied.json().version], [200, version + 1])
    assert.deepEqual([late.status, late.json().name], [409, 'Conflict'])
    assert.match(late.json().message, new RegExp(`version is ${version + 1}, expected ${version}`))
    assert.deepEqual(again.json(), { version: version + 1, lines: ['nothing to change'] })
    assert.deepEqual(after, { text: first, version: version + 1 })
  })

  test('keeps the password of a masked address, and refuses a wrong file with its lines', async () => {
    const { text, version } = await read()
    const { entries } = await service.storage.site.load()
    const wrong = await call('POST', '/site/apply', { text: 'users: 7', version })

    const camera = entries.find(({ kind }) => kind === 'camera')
    assert.match(JSON.stringify(camera), /topsecret/)
    assert.equal(wrong.status, 400)
    assert.match(wrong.json().message, /^The site file could not be applied: site:1: users: /)
    assert.deepEqual(await read(), { text, version })
    assert.doesNotMatch(service.logged.join('\n'), /topsecret/)
  })

  test('leaves a line with what has changed in the audit log, without passwords', async () => {
    const { text, version } = await read()
    const other = text.replace(/rtsp:\/\/\*+@/, 'rtsp://viewer:newsecret@')

    const applied = await call('POST', '/site/apply', { text: other, version })
    const { lines } = (await call('GET', '/audit')).json()

    assert.equal(applied.status, 200)
    const operations = new Set(lines.map(({ operation }: any) => operation))
    assert.deepEqual([...operations], ['applySite'])
    assert.deepEqual(lines[0].before, { version })
    assert.deepEqual(lines[0].after, applied.json())
    assert.match(lines[0].after.lines[0], /^~ camera 1 .*source/)
    assert.doesNotMatch(JSON.stringify([lines, applied.json()]), /newsecret|topsecret/)
    assert.doesNotMatch(service.logged.join('\n'), /newsecret/)
  })
})
