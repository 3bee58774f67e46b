import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { zone as zoneOf } from '../../src/domain/time/local-time.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'
import { BASE, CELL, derivedSite, POINT } from '../_derived-site.ts'
import { IDS, SITE } from '../_site.ts'
import { readRecords } from '../storage/_place.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 2, 4)
const LATER = Date.UTC(2036, 2, 2, 4)
const ALL = 'startTime=2026-01-01+00:00:00&endTime=2036-12-31+00:00:00'
const IN_2036 = { startTime: '2036-01-01 00:00:00', endTime: '2036-12-31 23:59:59' }

/** A service whose clock a test can set. */
async function withClock() {
  const clock = { now: NOW }
  const service = await withService({ site: SITE, now: () => clock.now })
  const key = await service.createKey()
  const tokens = { all: await service.issueToken(1), river: await service.issueToken(2) }
  const send = async (way: string, ...records: object[]): Promise<void> => {
    const response = await service.ingest(way, key, { records })
    assert.equal(response.json().accepted, records.length, response.text)
  }
  const strain = (time: number, value: number) =>
    send('theme', { station: 1001, time, values: { strain: value } })
  return { service, clock, key, tokens, send, strain }
}

async function remove(service: TestService, token: string, body: object): Promise<HttpResponse> {
  return service.call('/manage/v1/records/delete', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
}

async function undo({ storage }: TestService, change: number) {
  const sum = { restored: 0, left: 0 }
  for (let isDone = false; !isDone;) {
    const step = await storage.changes.undo(change, { limit: 3, now: NOW })
    sum.restored += step.restored
    sum.left += step.left
    isDone = step.isDone
  }
  return sum
}

async function timesOf(service: TestService, token: string, station: number): Promise<string[]> {
  const { text } = await service.get(`/stations/theme/data?stations=${station}&${ALL}`, token)
  return Array.from(text.matchAll(/"time":"(2[^"]+)"/g), ([, time]) => time!)
}

const openAlarms = async (service: TestService, token: string) => {
  const { text } = await service.get('/users/1/alarms/new/count', token)
  return (JSON.parse(text) as { count: number }).count
}

describe('deleteRecords', () => {
  test('records of a wrong clock are counted, deleted and restored', async () => {
    const { service, clock, tokens, strain } = await withClock()
    await using _ = service
    await strain(NOW, 1)
    clock.now = LATER
    for (let day = 0; day < 8; day++) await strain(LATER - day * DAY, 2)
    clock.now = NOW
    const choice = { station: 1001, ...IN_2036 }

    const counted = (await remove(service, tokens.all, { ...choice, dryRun: true })).json()
    const untouched = await timesOf(service, tokens.all, 1001)
    const deleted = (await remove(service, tokens.all, choice)).json()
    const left = await timesOf(service, tokens.all, 1001)
    const [change] = await service.storage.changes.list()
    const undone = await undo(service, deleted.change)

    const records = { theme: 8, raw: 0, vibration: 0, traffic: 0, derived: 0 }
    assert.deepEqual(counted, { change: null, records, alarms: [] })
    assert.equal(untouched.length, 9)
    assert.deepEqual(deleted.records, records)
    assert.deepEqual(left, ['2026-03-02 12:00:00'])
    assert.equal(change!.kind, 'deletion')
    assert.equal(
      change!.description,
      'station 1001: theme, vibration from 2036-01-01 00:00:00 to 2036-12-31 23:59:59, by user 1',
    )
    assert.notEqual(change!.finishedAt, null)
    assert.deepEqual(undone, { restored: 8, left: 0 })
    assert.deepEqual(await timesOf(service, tokens.all, 1001), untouched)
  })

  test('an alarm of deleted records is cleared, and the next record raises one', async () => {
    const { service, clock, tokens, strain } = await withClock()
    await using _ = service
    await strain(NOW - DAY, 1)
    clock.now = LATER
    await strain(LATER, 250)
    clock.now = NOW
    const before = await openAlarms(service, tokens.all)

    const { alarms } = (await remove(service, tokens.all, { station: 1001, ...IN_2036 })).json()
    const after = await openAlarms(service, tokens.all)
    await strain(NOW, 350)

    assert.equal(before, 1)
    assert.deepEqual(
      alarms.map(({ source, level, hasEnded }: any) => [source.id, level, hasEnded]),
      [['1001', 2, true]],
    )
    assert.equal(after, 0)
    assert.equal(await openAlarms(service, tokens.all), 1)
  })

  test('an alarm of earlier records stays open, and the next record is evaluated for it', async () => {
    const { service, clock, tokens, strain } = await withClock()
    await using _ = service
    await strain(NOW - DAY, 250)
    clock.now = LATER
    await strain(LATER, 250)
    clock.now = NOW

    const { alarms } = (await remove(service, tokens.all, { station: 1001, ...IN_2036 })).json()
    const stillOpen = await openAlarms(service, tokens.all)
    await strain(NOW, 1)

    assert.equal(alarms[0].hasEnded, false)
    assert.equal(stillOpen, 1)
    assert.equal(await openAlarms(service, tokens.all), 0)
  })

  test('an alarm that was cleared by future records can be raised again', async () => {
    const { service, clock, tokens, strain } = await withClock()
    await using _ = service
    clock.now = LATER
    await strain(LATER, 250)
    await strain(LATER + 1000, 1)
    clock.now = NOW

    await remove(service, tokens.all, { station: 1001, ...IN_2036 })
    await strain(NOW, 250)

    assert.equal(await openAlarms(service, tokens.all), 1)
  })

  test('derived records are deleted and restored with their raw records', async () => {
    const { service, clock, tokens, send } = await withClock()
    await using _ = service
    const raw = (time: number, reading: number) =>
      send('raw', { sensor: IDS.gauge, time, values: { reading } })
    await raw(NOW, 1)
    clock.now = LATER
    await raw(LATER, 5)
    await raw(LATER - 1000, 6)
    clock.now = NOW

    const { change, records } = (
      await remove(service, tokens.all, { sensor: IDS.gauge, ...IN_2036 })
    ).json()
    const left = await timesOf(service, tokens.all, 1004)
    await undo(service, change)

    assert.deepEqual(records, { theme: 0, raw: 2, vibration: 0, traffic: 0, derived: 2 })
    assert.deepEqual(left, ['2026-03-02 12:00:00'])
    assert.equal((await timesOf(service, tokens.all, 1004)).length, 3)
  })

  test('records derived from other sensors too are derived again, and restored with the raw records', async () => {
    const several = `from: { sensors: [${CELL}, ${BASE}], alignSeconds: 2, conversion: { kind: linear, k: 1, value: v, combine: sum } }`
    const site = derivedSite(1).replace('name: SG-12 }', `name: SG-12, ${several} }`)
    await using service = await withService({ site, now: () => NOW })
    const token = await service.issueToken()
    const key = await service.createKey()
    const times = [NOW - 19_000, NOW - 9000]
    const records = times.flatMap((time) => [
      { sensor: CELL, time, values: { v: 5 } },
      { sensor: BASE, time: time + 1000, values: { v: 2 } },
      { sensor: BASE, time: time + 2000, values: { v: 9 } },
      { sensor: POINT, time: time + 1000, values: { v: 3 } },
    ])
    assert.equal((await service.ingest('raw', key, { records })).json().accepted, 8)
    const read = async () =>
      Promise.all(
        [12, 13, 14].map(async (source) =>
          (await readRecords(service.storage, { source })).map(
            ({ time: _time, ...values }) => values,
          ),
        ),
      )
    const second = { startTime: '2026-03-02 11:59:52', endTime: '2026-03-02 11:59:52' }
    const before = await read()

    const { change, records: deleted } = (
      await remove(service, token, { sensor: BASE, ...second })
    ).json()
    const after = await read()
    await undo(service, change)

    const [sums, base, point] = before
    assert.deepEqual(sums, [{ strain: 7 }, { strain: 7 }])
    assert.deepEqual([base!.length, point!.length], [4, 2])
    assert.deepEqual([deleted.raw, deleted.derived], [1, 3])
    assert.deepEqual(after[0], [{ strain: 7 }, { strain: 14 }])
    // Without its base point a group has no value.
    assert.deepEqual([after[1]!.length, after[2]!.length], [3, 1])
    assert.deepEqual(await read(), before)
  })

  test('everything of a structure is deleted: sealed days, waveforms with their values, and vehicles', async () => {
    const { service, clock, key, tokens, send, strain } = await withClock()
    await using _ = service
    clock.now = LATER
    for (let day = 0; day < 3; day++) await strain(LATER - day * DAY, 2)
    const wave = { station: 1031, sampleFreq: 100, unit: 'cm/s2', samples: [1, 2] }
    for (let day = 0; day < 20; day++)
      await service.ingest('vibration', key, { ...wave, collectTime: LATER - day * DAY })
    const vehicle = { structure: 1, lane: '1', direction: 0, axleCount: 2, load: 1 }
    for (let day = 0; day < 3; day++)
      await send('traffic', { ...vehicle, license: 'A', time: LATER - day * DAY })
    const zone = zoneOf('Asia/Shanghai')
    for (let day = 1; day < 3; day++) {
      const start = zone.toInstant(`${zone.toLocal(LATER - day * DAY).slice(0, 10)} 00:00:00`)!
      const span = { kind: 'theme', source: 1001, start, until: start + DAY, zone } as const
      assert.equal((await service.storage.sealedDays.seal(span)).records, 1)
    }
    const flow = async () =>
      (await service.get(`/structures/1/traffic-flow?${ALL}`, tokens.all)).text.split(
        '"time":"2036',
      ).length - 1
    const wavesOf = () => service.storage.waveforms.count({ station: 1031, from: 0, to: LATER })
    clock.now = NOW

    const { change, records } = (
      await remove(service, tokens.all, { structure: 1, ...IN_2036 })
    ).json()
    const left = [await timesOf(service, tokens.all, 1001), await flow(), await wavesOf()]
    const peaks = await timesOf(service, tokens.all, 1031)
    await undo(service, change)

    assert.deepEqual(records, { theme: 23, raw: 0, vibration: 20, traffic: 3, derived: 0 })
    assert.deepEqual(left, [[], 0, 0])
    assert.deepEqual(peaks, [])
    assert.equal((await timesOf(service, tokens.all, 1001)).length, 3)
    assert.equal((await timesOf(service, tokens.all, 1031)).length, 20)
    assert.equal(await flow(), 3)
    assert.equal(await wavesOf(), 20)
    const [batch] = await service.storage.waveforms.list({
      station: 1031,
      from: 0,
      to: LATER,
      limit: 1,
    })
    const samples = await Array.fromAsync(service.storage.waveforms.readSamples(batch!))
    assert.deepEqual(
      samples.flatMap((chunk) => [...chunk]),
      [1, 2],
    )
  })

  test('invalid requests and structures without access are refused', async () => {
    const { service, tokens, strain } = await withClock()
    await using _ = service
    await strain(NOW, 1)
    const window = { startTime: '2026-01-01 00:00:00', endTime: '2026-12-31 00:00:00' }
    const cases: [object, number, RegExp][] = [
      [{ ...window }, 400, /name one of a station, a sensor and a structure/],
      [{ ...window, station: 1001, structure: 1 }, 400, /name one of/],
      [{ ...window, station: 1001, factor: 15 }, 400, /together with a structure only/],
      [{ ...window, station: 1001, kinds: ['raw'] }, 400, /station 1001 has no raw records/],
      [{ ...window, station: 9 }, 404, /There is no station 9/],
      [{ ...window, structure: 9 }, 404, /There is no structure 9/],
      [{ ...window, structure: 1, factor: 9 }, 404, /There is no factor 9/],
      [{ ...window, sensor: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1aff' }, 404, /There is no sensor/],
      [{ station: 1001, startTime: window.endTime, endTime: window.startTime }, 400, /lies after/],
    ]

    for (const [body, status, message] of cases) {
      const response = await remove(service, tokens.all, body)
      assert.equal(response.status, status, response.text)
      assert.match(response.text, message)
    }
    const foreign = await remove(service, tokens.river, { station: 1001, ...window })
    assert.equal(foreign.status, 403)
    assert.equal((await timesOf(service, tokens.all, 1001)).length, 1)
  })
})
