import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { CSV } from '../cli/_import.ts'
import { manageAs, type Manage } from './_manage.ts'

const DAY =
  'Time;S;T\n01.03.2024 00:00:00;1.5;20\n01.03.2024 00:01:00;2.5\n01.03.2024 00:02:00;3.5;21\n'

let folder: string
let service: TestService
let call: Manage

const open = async () => {
  service = await withService({
    site: SITE,
    folder,
    settings: { 'ingest.maxImportMegabytes': 8 },
  })
  call = await manageAs(service)
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-imports-'))
  await open()
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const start = async (more: object = {}) =>
  (await call('POST', '/imports', { name: 'day.csv', mapping: CSV, ...more })).json()

const send = (id: number, part: string | Uint8Array, query = 'isLast') =>
  call('PUT', `/imports/${id}/file?${query}`, Buffer.from(part))

const find = async (id: number) => (await call('GET', `/imports/${id}`)).json()

const ended = (id: number) =>
  eventually(async () => {
    const found = await find(id)
    assert.notEqual(found.endedAt, null)
    return found
  })

/** Many rows, whose import takes a while. */
const longFile = (rows: number): string =>
  `Time;S;T\n${Array.from({ length: rows }, (_, at) => {
    const time = new Date(Date.UTC(2023, 0, 1) + at * 60_000).toISOString()
    const [year, month, day] = time.slice(0, 10).split('-')
    return `${day}.${month}.${year} ${time.slice(11, 19)};${at % 90};${at % 7}`
  }).join('\n')}\n`

describe('startImport', () => {
  test('refuses a wrong mapping with its line, before any file', async () => {
    const { status, json } = await call('POST', '/imports', { name: 'a', mapping: 'format: toast' })

    assert.equal(status, 400)
    assert.match(json().message, /^The import could not be started: mapping:1: format: /)
  })

  test('and its operations need the scope operate and access to all structures', async () => {
    const { id } = await start()
    for (const one of [await manageAs(service, 2), await manageAs(service, 1, 'read')]) {
      assert.equal((await one('POST', '/imports', { name: 'a', mapping: CSV })).status, 403)
      assert.equal((await one('PUT', `/imports/${id}/file`, Buffer.from('x'))).status, 403)
      assert.equal((await one('POST', `/imports/${id}/cancel`)).status, 403)
    }
    const river = await manageAs(service, 2)
    assert.equal((await river('GET', '/imports')).status, 403)
    assert.equal((await river('GET', `/imports/${id}`)).status, 403)
    await call('POST', `/imports/${id}/cancel`)
  })
})

describe('sendImportFile', () => {
  test('stores a file that came in parts, as the command does, and removes it', async () => {
    const started = await start({ name: 'C:\\loggers\\day.csv' })
    const middle = (await send(started.id, DAY.slice(0, 20), 'offset=0')).json()
    const gap = await send(started.id, 'x', 'offset=21')
    await send(started.id, DAY.slice(0, 30), 'offset=0')
    const last = await send(started.id, DAY.slice(30), 'offset=30&isLast')
    const repeated = await send(started.id, DAY.slice(30), 'offset=30&isLast')
    const { createdAt: _c, endedAt: _e, change, ...report } = await ended(started.id)

    assert.deepEqual([started.state, middle.state, middle.bytes], ['waiting', 'waiting', 20])
    assert.deepEqual([gap.status, gap.json().name], [409, 'Conflict'])
    assert.deepEqual([last.status, repeated.status], [200, 200])
    assert.deepEqual(report, {
      id: started.id,
      name: 'day.csv',
      state: 'done',
      isDryRun: false,
      bytes: DAY.length,
      member: null,
      memberBytes: null,
      readBytes: DAY.length,
      isWhole: false,
      isAmbiguous: false,
      lines: [
        'day.csv: 3 rows read, 4 values in them; 2 records were stored.',
        '1 row rejected, in whole or in part:',
        '  1 x the row has 2 columns, expected 3 (line 3)',
      ],
      problem: null,
    })
    const found = (await service.storage.changes.list()).find(({ id }) => id === change)
    assert.deepEqual([found?.kind, found?.description, found?.records], ['import', 'day.csv', 2])
    const [reject] = await service.storage.rejects.list({ limit: 1 })
    assert.equal(reject?.origin, 'file day.csv')
    const { lines } = (await call('GET', '/audit?operation=sendImportFile')).json()
    assert.deepEqual(
      lines.map(({ target, after }: any) => [target.split(' ')[0], after.bytes]),
      [1, 2].map(() => [`importId=${started.id}`, DAY.length]),
    )
    const files = await readdir(join(folder, 'imports'))
    assert.deepEqual(
      files.filter((name) => name.startsWith(`${started.id}.`)),
      [`${started.id}.json`, `${started.id}.yaml`],
    )
  })

  test('reads a file and stores nothing with dryRun', async () => {
    const { id } = await start({ dryRun: true, replace: 'whole' })
    await send(id, DAY)
    const { change, lines, isDryRun } = await ended(id)

    assert.deepEqual([change, isDryRun], [null, true])
    assert.match(lines[0], /2 records would be stored/)
  })

  test('refuses a file beyond ingest.maxImportMegabytes', async () => {
    const { id } = await start()
    const part = new Uint8Array(6 * 2 ** 20)
    await send(id, part, 'offset=0')
    const { status, json } = await send(id, part, `offset=${part.length}`)

    assert.equal(status, 400)
    assert.match(json().message, /larger than 8\.?\d* MB \(ingest\.maxImportMegabytes\)/)
    await call('POST', `/imports/${id}/cancel`)
  })
})

describe('listImports', () => {
  test('gives the newest first, page by page', async () => {
    const all = (await call('GET', '/imports')).json().imports
    const [second] = (await call('GET', `/imports?before=${all[0].id}&limit=1`)).json().imports

    assert.ok(all.length > 2)
    assert.deepEqual(second, all[1])
  })
})

describe('cancelImport', () => {
  test('stops an import that waits or runs, and keeps what was stored', async () => {
    const waiting = await start()
    const running = await start()
    await call('POST', `/imports/${waiting.id}/cancel`)
    await send(running.id, longFile(60_000))
    await eventually(async () => assert.ok((await find(running.id)).readBytes > 0))
    const stopped = await call('POST', `/imports/${running.id}/cancel`)
    const { state, change, isWhole } = await ended(running.id)
    const again = await call('POST', `/imports/${running.id}/cancel`)

    assert.equal((await find(waiting.id)).state, 'cancelled')
    assert.deepEqual([stopped.status, state, isWhole, again.status], [204, 'cancelled', null, 400])
    const found = (await service.storage.changes.list()).find(({ id }) => id === change)
    assert.equal(found?.finishedAt, null)
    assert.ok(found.records < 60_000)
    assert.equal((await call('POST', '/imports/999/cancel')).status, 404)
  })
})

describe('getImport', () => {
  test('says after a restart that an import was interrupted', async () => {
    const stopped = await start()
    const killed = await start()
    await send(stopped.id, longFile(60_000))
    await eventually(async () => assert.ok((await find(stopped.id)).readBytes > 0))
    await service[Symbol.asyncDispose]()
    // A service that was killed leaves its state as it was.
    const state = join(folder, 'imports', `${killed.id}.json`)
    const running = { ...JSON.parse(await readFile(state, 'utf8')), state: 'running', seenAt: 0 }
    await writeFile(state, JSON.stringify(running))
    await open()

    for (const { id } of [stopped, killed]) {
      const found = await find(id)
      assert.equal(found.state, 'interrupted')
      assert.match(found.problem, /The service stopped\..* Start the import again\./)
    }
    const files = await readdir(join(folder, 'imports'))
    assert.deepEqual(
      files.filter((name) => name.endsWith('.data')),
      [],
    )
  })
})
