import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Commits } from '../../src/commit/commits.ts'
import { OfflineDetection } from '../../src/alarms/offline-job.ts'
import { pino } from 'pino'
import { applySite } from '../../src/site/apply/apply.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { IDS, SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const START = Date.UTC(2026, 2, 1)
const MINUTE = 60_000

/** The logger reports every ten minutes, the wire behind it every five. */
const WATCHED = SITE.replace(
  'name: VW-01\n        kind: sensor\n',
  'name: VW-01\n        kind: sensor\n        intervalSeconds: 300\n',
)

/** A service with a held clock, and offline detection that runs on demand. */
class Held implements AsyncDisposable {
  readonly service: TestService
  readonly job: OfflineDetection
  readonly #clock: { now: number }
  readonly #key: string

  constructor(service: TestService, job: OfflineDetection, clock: { now: number }, key: string) {
    this.service = service
    this.job = job
    this.#clock = clock
    this.#key = key
  }

  static async start(site = WATCHED): Promise<Held> {
    const clock = { now: START }
    const service = await withService({
      site,
      now: () => clock.now,
      settings: { 'alarms.offlineCheckSeconds': 0 },
    })
    return new Held(service, newJob(service, clock, 7), clock, await service.createKey())
  }

  /** Another instance's job. */
  other(): OfflineDetection {
    return newJob(this.service, this.#clock, 8)
  }

  async checkDevices(minute: number): Promise<void> {
    this.#clock.now = START + minute * MINUTE
    await this.job.run()
  }

  async beat(device: string, minute: number, error?: string): Promise<void> {
    this.#clock.now = START + minute * MINUTE
    const devices = [{ device, time: this.#clock.now, ...(error === undefined ? {} : { error }) }]
    const response = await this.service.ingest('heartbeats', this.#key, { devices })
    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
  }

  async raw(sensor: string, minute: number): Promise<void> {
    this.#clock.now = START + minute * MINUTE
    const records = [{ sensor, time: this.#clock.now, values: { temperature: 1 } }]
    await this.service.ingest('raw', this.#key, { records })
  }

  /** Type, kind of source, name, state and content of every alarm, in the order they came. */
  async list(): Promise<unknown[][]> {
    const token = await this.service.issueToken()
    const response = await this.service.post('/users/1/alarms?orderBy=startTime', token)
    return response
      .json()
      .alarms.flatMap(({ alarms }: any) => alarms)
      .toSorted((a: any, b: any) => a.id - b.id)
      .map((one: any) => [
        one.alarmTypeCode,
        one.sourceType.name,
        one.source.name,
        one.state,
        one.content,
      ])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.job[Symbol.asyncDispose]()
    await this.service[Symbol.asyncDispose]()
  }
}

function newJob(
  { storage }: TestService,
  clock: { now: number },
  writer: number,
): OfflineDetection {
  const now = () => clock.now
  return new OfflineDetection({
    commits: Commits.open({ storage, writer, now }),
    storage,
    catalogue: openCatalogue(storage.site),
    log: pino({ level: 'silent' }),
    everyMilliseconds: 0,
    isSuspended: () => false,
    now,
  })
}

const SILENT = 'silent for 31 min, expected every 10 min; 1 device below it'

test('a silent logger raises one alarm for itself and its sensors, and a contact clears it', async () => {
  await using held = await Held.start()
  await held.beat(IDS.logger, 0)
  await held.raw(IDS.wire, 0)

  await held.checkDevices(30)
  assert.deepEqual(await held.list(), [])
  await held.checkDevices(31)
  await held.checkDevices(32)
  assert.deepEqual(await held.list(), [['2001', 'DTU', 'DTU-1', 0, SILENT]])

  await held.beat(IDS.logger, 40)
  await held.raw(IDS.wire, 40)
  await held.checkDevices(40)

  assert.deepEqual(await held.list(), [['2001', 'DTU', 'DTU-1', 3, SILENT]])
})

test('a device that stays silent raises an alarm again after another instance confirmed the first one', async () => {
  await using held = await Held.start()
  const { service } = held
  await held.beat(IDS.logger, 0)
  await held.checkDevices(31)

  const response = await service.call('/manage/v1/alarms/1/confirm', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await service.issueToken()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ comment: 'on the way' }),
  })
  await held.checkDevices(32)

  assert.equal(response.status, 200, response.text)
  assert.deepEqual(
    (await held.list()).map((one) => [one[0], one[3]]),
    [
      ['2001', 4],
      ['2001', 0],
    ],
  )
})

test('a raw record is a contact of its sensor', async () => {
  await using held = await Held.start()
  await held.raw(IDS.wire, 0)

  for (let minute = 10; minute <= 60; minute += 10) {
    await held.beat(IDS.logger, minute)
    await held.checkDevices(minute)
  }
  const silent = await held.list()
  await held.raw(IDS.wire, 61)
  await held.checkDevices(61)

  assert.deepEqual(
    silent.map((one) => one.slice(0, 4)),
    [['3006', 'sensor', 'VW-01', 0]],
  )
  assert.deepEqual((await held.list())[0]?.[3], 3)
})

test('a device that reports an error raises an alarm for the error and none for silence', async () => {
  await using held = await Held.start()
  await held.beat(IDS.logger, 0, 'card is full')
  await held.checkDevices(1)
  const alarms = await held.list()
  await held.beat(IDS.logger, 2)
  await held.checkDevices(2)

  assert.deepEqual(alarms, [['2002', 'DTU', 'DTU-1', 0, 'reports an error: card is full']])
  assert.deepEqual((await held.list())[0]?.[3], 3)
})

test('of two instances the leader runs offline detection, the other one after the lease is released', async () => {
  await using held = await Held.start()
  const other = held.other()
  await held.checkDevices(0)

  await held.beat(IDS.gauge, 0.5, 'broken')
  await other.run()
  assert.deepEqual(await held.list(), [])

  await held.job[Symbol.asyncDispose]()
  await other.run()
  assert.equal((await held.list()).length, 1)
  await other[Symbol.asyncDispose]()
})

test('alarms of stations and devices that are no longer declared are cleared with the reason', async () => {
  await using held = await Held.start()
  const { service } = held
  await held.beat(IDS.logger, 0, 'low battery')
  const key = await service.createKey('two')
  const record = { station: 1001, time: START, values: { strain: 500 } }
  await service.ingest('theme', key, { records: [record] })
  await held.checkDevices(1)

  const bare = `timeZone: Asia/Shanghai
structures: [{ id: 1, name: 长江大桥, type: 2, latitude: 30.5928, longitude: 114.3055 }]
`
  await applySite(service.storage, { text: bare, fileName: 'bare.yaml' }, { deleteRecords: true })
  await held.checkDevices(2)

  const alarms = await held.list()
  assert.deepEqual(
    alarms.map((one) => [one[0], one[3]]),
    [
      ['3007', 3],
      ['2002', 3],
    ],
  )
  const ends = await Promise.all([1, 2].map((id) => service.storage.alarms.listDetails(id)))
  assert.deepEqual(
    ends.map((steps) => steps.at(-1)?.content),
    ['the station is no longer declared', 'the device is no longer declared'],
  )
})
