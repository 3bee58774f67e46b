import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { afterCalls } from '../_after-calls.ts'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { eventually } from '../_eventually.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 22, 12)
const TEN_YEARS = 3653 * DAY
const BRIDGE = '    portrait: bridge.jpg\n'
const KEPT = SITE.replace(BRIDGE, `${BRIDGE}    retention: { theme: 1y }\n`)
const DAYS_AGO = [900, 400, 300, 3, 2, 1]

/** A folder, the clock of its machine, and the running time of the services on it. */
class Place implements AsyncDisposable {
  now = NOW
  running = 0
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  serve(settings: Record<string, number> = {}): Promise<TestService> {
    return withService({
      site: KEPT,
      folder: this.folder,
      now: () => this.now,
      monotonic: () => this.running,
      clockMilliseconds: 20,
      firstRetentionMilliseconds: 20,
      settings: {
        'retention.everyMinutes': 0.001,
        'retention.maxShareOfDay': 1,
        'seal.everyMinutes': 0,
        ...settings,
      },
    })
  }

  /** Lets the service run for hours by a clock that is right. */
  async run(hours: number): Promise<void> {
    for (let hour = 0; hour < hours; hour++) {
      this.now += HOUR
      this.running += HOUR
      await sleep(30)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

const newPlace = async () => new Place(await mkdtemp(join(tmpdir(), 'plumbline-clock-')))

async function send(
  service: TestService,
  days: readonly number[],
  { now = NOW, station = 1041 } = {},
) {
  const key = `test-${days.join('-')}-${now}-${station}`
  const records = days.map((day) => {
    const values = station === 1041 ? { temperature: day } : { strain: 1 }
    return { station, time: now - day * DAY, values }
  })
  const answer = await service.ingest('theme', await service.createKey(key), { records })
  assert.equal(answer.json().accepted, days.length, answer.text)
}

/** Resolves when retention has run again. */
const retentionRuns = ({ storage }: TestService): Promise<void> =>
  afterCalls(storage.leases, 'take', ({ name }) => name === 'retention')

/** How many days old by the true clock the records are that are left. */
async function daysLeft(service: TestService, source = 1041): Promise<number[]> {
  const days: number[] = []
  const span = { kind: 'theme', source, from: 0, to: NOW + TEN_YEARS } as const
  for await (const { times } of service.storage.records.readLists(span))
    for (const time of Array.from(times)) days.push((NOW - time) / DAY)
  return days
}

/** As an operator does while the service keeps its own course. */
const confirm = (service: TestService, now: number): Promise<void> =>
  eventually(async () => {
    const { version } = (await service.storage.clock.read()) ?? { version: 0 }
    assert.ok(await service.storage.clock.write(confirmedAt(now), version))
  })

async function getHealth(port: number): Promise<any> {
  const call = request({ host: '127.0.0.1', port, path: '/health/retention' }).end()
  const { promise, resolve } = Promise.withResolvers<string>()
  call.on('response', (response) => void textOf(response).then(resolve))
  return JSON.parse(await promise)
}

test('a clock ten years ahead at the start deletes nothing, and log and health name the next step', async () => {
  await using place = await newPlace()
  {
    await using service = await place.serve({ 'retention.everyMinutes': 0 })
    await send(service, DAYS_AGO)
    await confirm(service, place.now)
  }
  place.now += TEN_YEARS
  const port = await freePort()
  await using service = await place.serve({ 'ops.port': port })
  await eventually(async () => assert.deepEqual(await daysLeft(service), [300, 3, 2, 1]))
  await retentionRuns(service)

  assert.deepEqual(await daysLeft(service), [300, 3, 2, 1])
  const warning = service.logged.find((line) => line.includes('The clock says 2036'))
  assert.match(warning!, /last trusted time is 2026-11-22T12:00:00\.000Z/)
  assert.match(warning!, /run for 24 h more, or .*plumbline retention --confirm-clock/)
  const health = await getHealth(port)
  assert.equal(health.clock.isConfirmed, false)
  assert.equal(health.clock.countsFrom, NOW)
  assert.equal(health.clock.leftMilliseconds, DAY)
})

test('health doubts a clock that has jumped at once, before the next run of the monitor', async () => {
  await using place = await newPlace()
  const port = await freePort()
  await using service = await place.serve({ 'retention.everyMinutes': 0, 'ops.port': port })
  await confirm(service, place.now)
  await eventually(async () => assert.equal((await getHealth(port)).clock.isConfirmed, true))

  place.now += 10 * DAY
  const ahead = await getHealth(port)
  place.now -= 20 * DAY
  const behind = await getHealth(port)

  assert.deepEqual([ahead.clock.isConfirmed, behind.clock.isConfirmed], [false, false])
})

test('a clock that stays ahead is trusted after a day of running, and no further than the newest record', async () => {
  await using place = await newPlace()
  {
    await using service = await place.serve({ 'retention.everyMinutes': 0 })
    await send(service, DAYS_AGO)
    await confirm(service, place.now)
  }
  place.now += TEN_YEARS
  await using service = await place.serve()
  await eventually(() => assert.ok(service.logged.some((line) => line.includes('The clock says'))))
  await place.run(25)

  await eventually(() =>
    assert.ok(service.logged.some((line) => line.includes('The clock is confirmed: 2036'))),
  )
  await eventually(() =>
    assert.ok(service.logged.some((line) => line.includes('No newer record shows'))),
  )
  assert.deepEqual(await daysLeft(service), [300, 3, 2, 1])
})

test('without a known earlier time nothing is deleted until the service has run for a day', async () => {
  await using place = await newPlace()
  await using service = await place.serve()
  await send(service, DAYS_AGO)
  await retentionRuns(service)

  const atFirst = await daysLeft(service)
  await place.run(25)

  assert.deepEqual(atFirst, DAYS_AGO)
  await eventually(async () => assert.deepEqual(await daysLeft(service), [300, 3, 2, 1]))
})

test('a clock that starts in 1970 and is set right soon delays nothing', async () => {
  await using place = await newPlace()
  {
    await using service = await place.serve({ 'retention.everyMinutes': 0 })
    await send(service, DAYS_AGO)
    await confirm(service, place.now)
  }
  place.now = 0
  await using service = await place.serve()
  await eventually(() =>
    assert.ok(service.logged.some((line) => line.includes('The clock says 1970'))),
  )
  const inThePast = await daysLeft(service)
  place.now = NOW + HOUR

  await eventually(() =>
    assert.ok(service.logged.some((line) => line.includes('The clock is confirmed: 2026'))),
  )
  await eventually(async () => assert.deepEqual(await daysLeft(service), [300, 3, 2, 1]))
  assert.deepEqual(inThePast, DAYS_AGO)
})

test('a time that an operator confirms is trusted at once', async () => {
  await using place = await newPlace()
  await using service = await place.serve()
  await send(service, DAYS_AGO)

  await confirm(service, place.now)

  await eventually(async () => assert.deepEqual(await daysLeft(service), [300, 3, 2, 1]))
})

test('after a shorter retention period a twentieth or two days of records are deleted in a day', async () => {
  await using place = await newPlace()
  await using service = await place.serve({ 'retention.maxShareOfDay': 0.05 })
  const days = Array.from({ length: 100 }, (_, day) => 500 - day)
  await send(service, [...days, 0])
  await confirm(service, place.now)

  await eventually(async () => assert.equal((await daysLeft(service)).length, 96))
  await retentionRuns(service)
  const first = await daysLeft(service)
  await place.run(25)
  await eventually(async () => assert.equal((await daysLeft(service)).length, 92))

  assert.equal(first.length, 96)
  assert.ok(service.logged.some((line) => line.includes('The rest follows day by day')))
})

test('the daily share is deleted from all stations, not from one alone', async () => {
  await using place = await newPlace()
  await using service = await place.serve({ 'retention.maxShareOfDay': 0.05 })
  const days = [...Array.from({ length: 100 }, (_, day) => 500 - day), 0]
  for (const station of [1041, 1002]) await send(service, days, { station })
  await confirm(service, place.now)

  await eventually(() =>
    assert.ok(service.logged.some((line) => line.includes('The rest follows day by day'))),
  )

  const left = [await daysLeft(service, 1041), await daysLeft(service, 1002)]
  assert.equal(left.flat().length, 192)
  // A local day goes whole where one of UTC ends in it.
  for (const { length } of left) assert.ok(Math.abs(length - 96) <= 1, String(length))
})

test('a future record of a clock that was ahead deletes nothing before its time', async () => {
  await using place = await newPlace()
  place.now += TEN_YEARS
  {
    await using service = await place.serve({ 'retention.everyMinutes': 0 })
    await send(service, [0], { now: place.now })
  }
  place.now = NOW
  await using service = await place.serve()
  await send(service, DAYS_AGO)
  await confirm(service, place.now)

  await eventually(async () =>
    assert.deepEqual((await daysLeft(service)).slice(-1), [-TEN_YEARS / DAY]),
  )
  await eventually(() =>
    assert.ok(service.logged.some((line) => line.includes('expired records were deleted'))),
  )
  assert.deepEqual(await daysLeft(service), [300, 3, 2, 1, -TEN_YEARS / DAY])
})
