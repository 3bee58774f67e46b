import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { text as textOf } from 'node:stream/consumers'
import { connectAsync } from 'mqtt'
import {
  confirmedAt,
  UNKNOWN_CLOCK,
  type TrustedClock,
} from '../../src/domain/time/trusted-clock.ts'
import { afterCalls } from '../_after-calls.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { eventually } from '../_eventually.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'
import { testFile } from '../../src/domain/waveforms/_test-files.ts'
import { MAPPING, HEADER } from '../ingest/_watched.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 22, 12)
const SENTENCE =
  /^The service's clock says 1970-01-01T00:00:00\.000Z, but it has passed 2026-11-22T12:00:00\.000Z before: nothing is stored until the clock is set right, or "plumbline retention --confirm-clock" confirms it\.$/

/** A service whose clock and running time are held; its clock was trusted at `NOW`. */
class Machine implements AsyncDisposable {
  readonly clock = { now: NOW, running: 0 }
  readonly folder: string
  readonly port: number
  #service: TestService | undefined

  constructor(folder: string, port: number) {
    this.folder = folder
    this.port = port
  }

  static async make(): Promise<Machine> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-behind-'))
    const machine = new Machine(folder, await freePort())
    await machine.start()
    await machine.service.createKey()
    await machine.confirm()
    return machine
  }

  get service(): TestService {
    return this.#service!
  }

  async start(settings = {}, clockMilliseconds = 20): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    this.#service = await withService({
      site: SITE,
      folder: this.folder,
      now: () => this.clock.now,
      monotonic: () => this.clock.running,
      clockMilliseconds,
      settings: { 'ops.port': this.port, 'alarms.offlineCheckSeconds': 0.05, ...settings },
    })
  }

  send(way: string, body: object) {
    return this.service.ingest(way, 'plk_test_test', body)
  }

  sendTheme(time: number, strain: number) {
    return this.send('theme', { records: [{ station: 1001, time, values: { strain } }] })
  }

  async ready(): Promise<{ status: number; message: string }> {
    const call = request({ host: '127.0.0.1', port: this.port, path: '/health/ready' }).end()
    const { promise, resolve } = Promise.withResolvers<{ status: number; message: string }>()
    call.on('response', (response) => {
      void textOf(response).then((text) =>
        resolve({ status: response.statusCode!, message: JSON.parse(text).message }),
      )
    })
    return promise
  }

  /** As an operator does while the service keeps its own course. */
  async confirm(state: TrustedClock = confirmedAt(this.clock.now)): Promise<void> {
    await eventually(async () => {
      const { clock } = this.service.storage
      const { version } = (await clock.read()) ?? { version: 0 }
      assert.ok(await clock.write(state, version))
    })
  }

  errors(): string[] {
    return this.service.logged.filter((line) => JSON.parse(line).level === 50)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }
}

test('a service whose clock fell back to 1970 responds 503 with both times, and stores records once it is right', async () => {
  await using machine = await Machine.make()
  assert.equal((await machine.sendTheme(NOW - HOUR, 1)).status, 200)
  machine.clock.now = 0
  await machine.start()

  const refused = await machine.sendTheme(NOW, 2)
  assert.equal(refused.status, 503, refused.text)
  assert.match(refused.json().message, SENTENCE)
  assert.equal(refused.headers['retry-after'], '60')
  const { status, message } = await machine.ready()
  assert.equal(status, 503)
  assert.match(message, SENTENCE)
  await afterCalls(machine.service.storage.clock, 'read')
  assert.equal(machine.errors().length, 1)
  const token = await machine.service.issueToken()
  const newest = await machine.service.get('/stations/theme/data?stations=1001&limit=1', token)
  assert.equal(newest.json().stations[0].data[0].strain, 1)

  machine.clock.now = NOW + HOUR
  assert.equal((await machine.sendTheme(NOW, 2)).status, 200)
  assert.equal((await machine.ready()).status, 200)
})

test('a clock that an operator confirms is used before the next check of the clock', async () => {
  await using machine = await Machine.make()
  machine.clock.now = NOW - 2 * DAY
  await machine.start({}, HOUR)
  const before = await machine.sendTheme(NOW - 2 * DAY, 1)

  await machine.confirm()

  assert.equal(before.status, 503)
  await eventually(async () =>
    assert.equal((await machine.sendTheme(NOW - 2 * DAY, 1)).status, 200),
  )
})

test('every ingest request over HTTP is refused while the clock is behind', async () => {
  await using machine = await Machine.make()
  machine.clock.now = NOW - 2 * DAY
  await machine.start()

  for (const [way, body] of [
    ['theme', { records: [] }],
    ['raw', { records: [] }],
    ['traffic', { records: [] }],
    ['heartbeats', { devices: [] }],
    ['vibration', { station: 1001 }],
  ] as const)
    assert.equal((await machine.send(way, body)).status, 503, way)
  const influx = await machine.service.call('/ingest/v1/influx', {
    method: 'POST',
    headers: { authorization: 'Bearer plk_test_test' },
    body: 'm,a=b c=1',
  })
  assert.equal(influx.status, 503)
  const file = await machine.service.call(
    '/ingest/v1/vibration?format=auto&station=1031&unit=cm/s2',
    {
      method: 'POST',
      headers: {
        authorization: 'Bearer plk_test_test',
        'content-type': 'application/octet-stream',
      },
      body: testFile('20190706031952.CJ.T001230.HNE.sac.gz'),
    },
  )
  assert.equal(file.status, 503, file.text)
  const token = await machine.service.issueToken()
  const reading = await machine.service.call('/manage/v1/stations/1001/readings', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ author: 'a', records: [{ time: NOW, values: { strain: 1 } }] }),
  })
  assert.equal(reading.status, 503, reading.text)
  assert.deepEqual(await machine.service.storage.rejects.list({ limit: 10 }), [])
})

test('a clock that is behind by a day is trusted', async () => {
  await using machine = await Machine.make()
  machine.clock.now = NOW - DAY
  await machine.start()

  assert.equal((await machine.sendTheme(NOW - DAY, 1)).status, 200)
})

test('running time does not confirm a clock that is behind, an operator does', async () => {
  await using machine = await Machine.make()
  machine.clock.now = NOW - 400 * DAY
  await machine.start()
  for (let hour = 0; hour < 30; hour++) {
    machine.clock.now += HOUR
    machine.clock.running += HOUR
    await sleep(25)
  }
  assert.equal((await machine.sendTheme(NOW, 1)).status, 503)

  await machine.confirm()

  await eventually(async () =>
    assert.equal((await machine.sendTheme(machine.clock.now, 1)).status, 200),
  )
})

test('a clock that was years ahead for hours and is set right is not behind', async () => {
  await using machine = await Machine.make()
  machine.clock.now = NOW + 3650 * DAY
  await machine.start()
  for (let hour = 0; hour < 20; hour++) {
    machine.clock.now += HOUR
    machine.clock.running += HOUR
    await sleep(25)
  }
  machine.clock.now = NOW + 20 * HOUR
  await machine.start()

  assert.equal((await machine.sendTheme(machine.clock.now, 1)).status, 200)
  assert.equal((await machine.ready()).status, 200)
})

test('future records of a wrong clock reject nothing where no time is trusted yet', async () => {
  await using machine = await Machine.make()
  await machine.sendTheme(NOW, 1)
  machine.clock.now = NOW - 3 * DAY
  await machine.confirm(UNKNOWN_CLOCK)
  await machine.start()

  const { status } = await machine.sendTheme(machine.clock.now, 1)

  assert.equal(status, 200)
})

test('alarms keep their times while the clock is behind, also when somebody confirms one', async () => {
  await using machine = await Machine.make()
  await machine.sendTheme(NOW, 250)
  machine.clock.now = 0
  await machine.start()
  await machine.sendTheme(0, 300)
  const token = await machine.service.issueToken()
  const list = async () => {
    const answer = await machine.service.post('/users/1/alarms', token)
    return answer
      .json()
      .alarms.flatMap(({ alarms }: any) => alarms)
      .filter(({ source }: any) => source.id === '1001')
  }
  const [before] = await list()
  assert.match(before.startTime, /^2026-11-22/)

  const confirmed = await machine.service.call(
    `/manage/v1/alarms/${before.id}/confirm?token=${token}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ comment: 'seen' }),
    },
  )

  assert.equal(confirmed.status, 200, confirmed.text)
  const [after] = await list()
  assert.equal(after.startTime, before.startTime)
  assert.match(after.endTime, /^2026-11-22/)
})

test('no device is offline for the time in which the clock was behind', async () => {
  await using machine = await Machine.make()
  const beat = { devices: [{ device: IDS.logger, time: NOW }] }
  assert.equal((await machine.send('heartbeats', beat)).status, 200)
  machine.clock.now = 0
  await machine.start()
  // Time for several runs of offline detection, which skip while the clock is behind.
  await sleep(500)
  machine.clock.now = NOW + 2 * HOUR
  await afterCalls(machine.service.storage.devices, 'listContacts')

  machine.clock.now += 31 * 60_000

  const token = await machine.service.issueToken()
  await eventually(async () => {
    const { alarms } = (await machine.service.post('/users/1/alarms', token)).json()
    assert.match(JSON.stringify(alarms), /"silent for 31 min, expected every 10 min/)
  })
})

test('a message is acknowledged only when the clock is right, and dated by the right clock', async () => {
  await using machine = await Machine.make()
  const port = await freePort()
  machine.clock.now = 0
  await machine.start({
    'ingest.broker.port': port,
    'ingest.broker.host': '127.0.0.1',
    'ingest.broker.topics': [
      { topic: 'site/{sensor}/up', sensor: '{sensor}', time: 'arrival', values: '@' },
    ],
    'ingest.broker.tls': 'off',
  })
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: 'logger',
    password: 'plk_test_test',
  })
  let isAcknowledged = false
  const sent = client
    .publishAsync(`site/${IDS.wire}/up`, '{"frequency":700}', { qos: 1 })
    .then(() => (isAcknowledged = true))
  await sleep(700)
  assert.equal(isAcknowledged, false)

  machine.clock.now = NOW
  await sent
  await client.endAsync()

  const { storage } = machine.service
  assert.deepEqual(await storage.rejects.list({ limit: 10 }), [])
  const { sensors } = await openCatalogue(storage.site)()
  const { key } = sensors.get(IDS.wire)!
  const time = (await storage.retention.findNewest('raw', key, Number.MAX_SAFE_INTEGER))!
  assert.ok(Math.abs(time - NOW) < 60_000, String(time))
})

test('a watched file is read on once the clock is right, and no row of it is refused', async () => {
  await using machine = await Machine.make()
  const files = join(machine.folder, 'files')
  await mkdir(files)
  await writeFile(join(machine.folder, 'mapping.yaml'), `delimiter: ;\n${MAPPING}`)
  await writeFile(join(files, 'a.csv'), `${HEADER}2026-11-22 11:00:00;7\n`)
  machine.clock.now = 0
  await machine.start({
    'ingest.folders': [{ path: 'files', mapping: 'mapping.yaml', pollSeconds: 0.1 }],
    'ingest.fileIdleSeconds': 0,
  })
  await sleep(300)
  const { storage } = machine.service
  assert.deepEqual(await storage.rejects.list({ limit: 10 }), [])

  machine.clock.now = NOW
  await eventually(() =>
    assert.ok(
      machine.service.logged.some((line) => line.includes('new rows of a watched file were read')),
    ),
  )
  assert.deepEqual(await storage.rejects.list({ limit: 10 }), [])
})

test('records are neither deleted nor computed again while the clock is behind', async () => {
  await using machine = await Machine.make()
  machine.clock.now = 0
  await machine.start()
  const token = await machine.service.issueToken()
  const span = { startTime: '2026-11-01 00:00:00', endTime: '2026-11-22 00:00:00' }
  const post = (path: string, body: object) =>
    machine.service.call(`/manage/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })

  const responses = [
    await post('/records/delete', { station: 1001, ...span }),
    await post('/structures/1/recompute', { ...span, commit: true }),
    await post('/structures/1/recompute', span),
  ]

  for (const answer of responses) {
    assert.equal(answer.status, 503, answer.text)
    assert.match(answer.json().message, SENTENCE)
  }
  assert.deepEqual(await machine.service.storage.changes.list(), [])
})
