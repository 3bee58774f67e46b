import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileOrigin } from '../../src/domain/rejects/reject-origin.ts'
import { needCommand } from '../_debian.ts'
import { eventually } from '../_eventually.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { CSV } from '../cli/_import.ts'
import { manageAs, type Manage } from './_manage.ts'

let folder: string
let service: TestService
let call: Manage

before(async () => {
  await needCommand('ffmpeg', 'ffmpeg')
  folder = await mkdtemp(join(tmpdir(), 'plumbline-watched-'))
  await writeFile(join(folder, 'm.yaml'), CSV)
  await writeFile(join(folder, 'a.csv'), 'Time;S;T\n01.03.2024 00:00:00;1.5;20\n')
  service = await withService({
    site: SITE,
    settings: {
      'ingest.folders': [{ path: folder, pattern: '*.csv', mapping: join(folder, 'm.yaml') }],
    },
  })
  call = await manageAs(service)
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

describe('getStatus', () => {
  test('says version, storage, disk, certificate and processes, for administrators', async () => {
    const status = (await call('GET', '/status')).json()

    assert.match(status.version, /^\d+\.\d+\.\d+/)
    assert.equal(status.problem, null)
    assert.equal(status.storage.engine, 'SQLite')
    assert.ok(status.storage.databaseBytes > 0)
    assert.ok(status.disk.freeBytes > 0)
    assert.ok(status.certificate.endsAt > Date.now())
    assert.ok(status.startedAt <= status.time)
    assert.deepEqual([status.backup, status.continuousCopy], [null, null])
    assert.deepEqual(status.workers.wanted, 1)
    assert.deepEqual(status.cameras, { ffmpeg: '', streams: [] })
    const operator = await manageAs(service, 1, 'operate')
    assert.equal((await operator('GET', '/status')).status, 403)
    assert.equal((await (await manageAs(service, 2))('GET', '/status')).status, 403)
  })
})

const caughtUp = async () => {
  const intake = (await call('GET', '/intake')).json()
  assert.equal(intake.folders[0].state, 'caught up')
  return intake
}

describe('getIntake', () => {
  test('says what came from sources and folders, and counts rejects', async () => {
    const reject = { place: '1', reason: 'wrong', payload: Buffer.from('x'), receivedAt: 0 }
    await service.storage.rejects.add([{ ...fileOrigin('b.csv'), ...reject }], { records: 9 })
    const key = await service.createKey()
    const records = [{ station: 1001, time: '2026-01-01 08:00:00', values: { strain: 1 } }]
    await service.ingest('theme', key, { records })
    const { problem, sources, folders, rejects } = await eventually(caughtUp)

    const theme = sources.find(({ origin }: any) => origin === 'http theme')
    assert.equal(problem, null)
    assert.deepEqual([theme.messages, theme.records, theme.connected], [1, 1, null])
    assert.deepEqual([folders[0].records, folders[0].files, folders[0].bytesBehind], [1, 1, 0])
    assert.deepEqual(rejects, [{ origin: 'file b.csv', kept: 1, dropped: 0 }])
    assert.equal((await (await manageAs(service, 2))('GET', '/intake')).status, 403)
    assert.equal((await (await manageAs(service, 1, 'read'))('GET', '/intake')).status, 200)
  })
})
