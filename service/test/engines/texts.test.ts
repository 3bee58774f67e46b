import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sent } from '../properties/_requests.ts'
import { withService, type TestService } from '../_service.ts'
import { IDS } from '../_site.ts'
import type { Action } from './_actions.ts'
import { local, START } from './_records.ts'
import { SITES } from './_site.ts'
import type { Answer, Twin } from './_twin.ts'
import { newDatabase } from '../_postgres.ts'
import { SECRETS, Twins } from './_twins.ts'

/** A text that does not become shorter when it is compressed, in the characters from `first` on. */
function randomText(length: number, first: number, span: number): string {
  let text = ''
  for (let block = 0; text.length < length; block++)
    for (const byte of hash('sha512', `${first} ${block}`, 'buffer'))
      text += String.fromCharCode(first + ((byte * 256 + text.length * 7) % span))
  return text.slice(0, length)
}

const chinese = (length: number): string => randomText(length, 0x4e00, 20_000)
const ascii = (length: number): string => randomText(length, 0x61, 26)

const LONG_FOLDERS = Array.from({ length: 15 }, (_, at) => randomText(80, 0x4e00 + at, 20_000))

const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: S, station: 1002, item: strain }]
`

const post = (path: string, body: unknown, secret: string = SECRETS.token): Action => ({
  do: 'send',
  path,
  call: {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify(body),
  },
})

const get = (path: string): Action => ({
  do: 'send',
  path,
  call: { method: 'GET', headers: { authorization: `Bearer ${SECRETS.token}` } },
})

const ingest = (endpoint: string, body: unknown): Action =>
  post(`/ingest/v1/${endpoint}`, body, SECRETS.key)

const vehicle = (more: Record<string, unknown>) => ({
  structure: 1,
  time: START - 60_000,
  lane: '1',
  direction: 0,
  axleCount: 2,
  load: 8,
  ...more,
})

const WINDOW = {
  startTime: local(START - 86_400_000),
  endTime: local(START + 86_400_000),
}

const RANGE = new URLSearchParams(WINDOW).toString()

const trafficFlow = (license = ''): Action =>
  get(
    `/api/v1/structures/1/traffic-flow?${new URLSearchParams({
      ...WINDOW,
      ...(license === '' ? {} : { license }),
    }).toString()}`,
  )

const themeData = (day: string): Sent => ({
  path: `/api/v1/stations/theme/data?${new URLSearchParams({
    stations: '1002',
    startTime: `${day} 00:00:00`,
    endTime: `${day} 23:59:59`,
  }).toString()}`,
  call: { method: 'GET', headers: { authorization: `Bearer ${SECRETS.token}` } },
})

/** A second instance, which watches a folder. */
async function startBeside({ service, storageUrl }: Twin, path: string): Promise<TestService> {
  await mkdir(join(service.folder, path), { recursive: true })
  await writeFile(join(service.folder, 'map.yaml'), MAPPING)
  const folder = { path, pattern: '*.csv', mapping: 'map.yaml', pollSeconds: 0.1 }
  return withService({
    folder: service.folder,
    ...(storageUrl === undefined ? {} : { storageUrl }),
    settings: { 'ingest.folders': [folder], 'ingest.fileIdleSeconds': 1 } as never,
  })
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20)
}

const alarms = (keywords?: string): Action =>
  post('/api/v1/users/1/alarms', {
    status: 'new',
    structures: [1],
    ...WINDOW,
    ...(keywords === undefined ? {} : { keywords }),
  })

const cut = ({ text }: Answer): string => text.slice(0, 500)

describe('texts that a database may refuse', () => {
  let twins: Twins
  before(async () => {
    mock.timers.enable({ apis: ['Date'], now: START })
    twins = await Twins.open(newDatabase)
  })
  after(async () => {
    await twins[Symbol.asyncDispose]()
    mock.timers.reset()
  })

  /** Does the same in both engines, and returns the text of the answer, which is the same. */
  async function both(action: Action, status: number): Promise<string> {
    const [one, other] = await Promise.all([twins.sqlite.act(action), twins.postgres.act(action)])
    assert.equal(other.status, one.status, `PostgreSQL: ${cut(other)}, SQLite: ${cut(one)}`)
    assert.ok(other.text === one.text, `PostgreSQL: ${cut(other)}, SQLite: ${cut(one)}`)
    assert.equal(one.status, status, cut(one))
    return one.text
  }

  /** Writes a file for both engines. */
  async function files(write: (twin: Twin) => Promise<void>): Promise<void> {
    await write(twins.sqlite)
    await write(twins.postgres)
  }

  test('vehicles with ids of any length are stored once, deleted, and restored', async () => {
    const ids = [ascii(5_000), `${ascii(4_999)}!`, chinese(5_000), '1\0', '\ud800']
    const records = ids.map((id) => vehicle({ id }))

    const first = await both(ingest('traffic', { records }), 200)
    const again = await both(ingest('traffic', { records }), 200)
    const stored = await both(trafficFlow(), 200)
    const deletion = { structure: 1, kinds: ['traffic'], ...WINDOW }
    await both(post('/manage/v1/records/delete', deletion), 200)
    const deleted = await both(trafficFlow(), 200)
    await both({ do: 'undo', back: 0, flags: [] }, 0)

    assert.equal(JSON.parse(first).replaced, 0)
    assert.equal(JSON.parse(again).replaced, ids.length)
    assert.notEqual(deleted, stored)
    assert.equal(await both(trafficFlow(), 200), stored)
  })

  test('vehicles have license plates with a NUL', async () => {
    const records = ['a\0b', '\0', 'a\u2400b'].map((license) => vehicle({ license, lane: '\0' }))

    await both(ingest('traffic', { records }), 200)

    await both(trafficFlow(), 200)
    await both(trafficFlow('a\0'), 200)
    await both(trafficFlow('\u2400'), 200)
  })

  test('stations, items and units have names of any length', async () => {
    const site = (SITES[0] ?? '')
      .replace('name: 应变-01', `name: ${chinese(5_000)}`)
      .replace('name: DTU-1', `name: ${chinese(4_000)}`)
      .replace(
        "key: strain, name: 应变, unit: 'µε'",
        `key: strain, name: ${chinese(600)}, unit: µε`,
      )
      .replace('name: Air temperature', `name: ${ascii(6_000)}`)
    await files(({ service }) => writeFile(join(service.folder, 'long.yaml'), site))

    await both({ do: 'command', args: ['site', 'show'] }, 0)
    await both({ do: 'apply', site: 0 }, 0)
    await files(async (twin) => {
      const applied = await twin.act({
        do: 'command',
        args: ['site', 'apply', join(twin.service.folder, 'long.yaml'), '--yes'],
      })
      assert.equal(applied.status, 0, applied.text)
    })
    const records = [1001, 1002].map((station) => ({
      station,
      time: START,
      values: { strain: 350, temperature: 1 },
    }))
    await both(ingest('theme', { records }), 200)
    await both({ do: 'evaluate' }, 0)

    const listed = await both(alarms(), 200)
    assert.ok(listed.includes(chinese(5_000)))
    await both(alarms(chinese(5_000).slice(4_000)), 200)
    // The same alarms again, with the texts that are stored.
    const cleared = records.map((one) => ({ ...one, time: START + 1, values: { strain: 0 } }))
    await both(ingest('theme', { records: cleared }), 200)
    const raised = records.map((one) => ({ ...one, time: START + 2 }))
    await both(ingest('theme', { records: raised }), 200)
    await both(alarms(), 200)
  })

  test('comments, notes, authors, reasons and units have a NUL', async () => {
    const records = [{ time: START, values: { strain: 1 }, note: 'a\0b' }]
    const readings = '/manage/v1/stations/1002/readings'
    const windows = { startsAt: START, endsAt: START + 60_000, reason: 'a\0b' }
    const { alarms: groups } = JSON.parse(await both(alarms(), 200)) as {
      alarms: { alarms: { id: number }[] }[]
    }
    const id = groups.flatMap((group) => group.alarms)[0]?.id

    await both(post(readings, { records, author: 'a\0' }), 200)
    await both(get(`${readings}?${RANGE}`), 200)
    await both(post(`/manage/v1/alarms/${id}/confirm`, { comment: 'a\0b' }), 200)
    await both(get(`/api/v1/alarms/${id}/details`), 200)
    await both(post('/manage/v1/maintenance', { structures: [1], ...windows }), 200)
    await both(get('/manage/v1/maintenance'), 200)
    await both(post('/manage/v1/stations/1001/quality', { ...WINDOW, quality: 'bad: a\0b' }), 400)
    await both(alarms('a\0'), 200)
  })

  test('heartbeats and records have a NUL', async () => {
    const error = `a\0b${chinese(490)}`
    const devices = [{ device: IDS.logger, time: START, error }]
    const values = { strain: 1, 'a\0b': 2 }
    const records = [{ station: 1002, time: START, values, quality: 'bad: a\0b' }]

    await both(ingest('heartbeats', { devices }), 200)
    await both({ do: 'evaluate' }, 0)
    await both(alarms(), 200)
    await both(ingest('theme', { records }), 200)
    await both(get(`/manage/v1/stations/1002/records?${RANGE}`), 200)
    await both(ingest('raw', { records: [{ sensor: IDS.wire, time: START, values }] }), 200)
    await both(ingest('raw', { records: [{ sensor: 'a\0', time: START, values }] }), 200)
  })

  test('keys and applications have names of any length', async () => {
    const name = chinese(5_000)
    const create = ['key', 'create', '--name', name]
    for (const { service, act } of [twins.sqlite, twins.postgres].map((twin) => ({
      service: twin.service,
      act: (args: string[]) => twin.act({ do: 'command', args }),
    }))) {
      assert.equal((await act(create)).status, 0)
      const again = await act(create)
      assert.equal(again.status, 1)
      assert.match(again.text, /^There is already an active key /)
      assert.equal((await act(['key', 'revoke', '--name', name])).status, 0)
      assert.equal((await act(create)).status, 0)
      assert.equal((await act(['app', 'create', '--user', '1', '--name', name])).status, 0)
      assert.ok((await service.storage.ingestKeys.list()).some((key) => key.name === name))
    }
  })

  test('files lie at paths of any length', async () => {
    await files(async ({ service }) => {
      const folder = join(service.folder, ...LONG_FOLDERS)
      await mkdir(folder, { recursive: true })
      await writeFile(join(service.folder, 'map.yaml'), MAPPING)
      await writeFile(join(folder, 'a.csv'), 'Time,S\n2026-03-01 00:00:00,1\nx,1\n')
    })

    for (const twin of [twins.sqlite, twins.postgres]) {
      const { folder, storage } = twin.service
      const file = join(folder, ...LONG_FOLDERS, 'a.csv')
      const args = ['import', file, '--mapping', join(folder, 'map.yaml')]
      const { text } = await twin.act({ do: 'command', args })

      assert.match(text, /1 record/)
      const [reject, ...others] = await storage.rejects.list({ limit: 9 })
      assert.deepEqual(others, [])
      assert.ok(reject !== undefined)
      const listed = await storage.rejects.list({ origin: reject.origin, limit: 9 })
      assert.equal(listed.length, 1)
    }
  })

  test('watched folders lie at paths of any length', async () => {
    const path = join('incoming', ...LONG_FOLDERS)
    for (const twin of [twins.sqlite, twins.postgres]) {
      await using watched = await startBeside(twin, path)
      const { folder, storage } = twin.service
      await writeFile(join(folder, path, 'a.csv'), 'Time,S\n2026-03-02 00:00:00,7\nx,1\n')
      await until(async () => (await storage.positions.list('', 9)).length === 1)

      const found = await twin.send(themeData('2026-03-02'))

      assert.match(found.text, /"strain":7/)
      assert.equal(watched.logged.filter((line) => line.includes('"level":50')).length, 0)
    }
  })

  test('waveforms have a unit with a NUL', async () => {
    await both(
      ingest('vibration', {
        station: 1031,
        collectTime: local(START),
        sampleFreq: 100,
        unit: 'a\0b',
        data: [1, 2, 3, 4],
      }),
      400,
    )
  })
})
