import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storingCommits } from '../../src/commit/record-commits.ts'
import { chooseMarkingTarget } from '../../src/marking/mark-target.ts'
import { markValues } from '../../src/marking/mark-values.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { BASE, CELL, derivedSite, POINT } from '../_derived-site.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const NOW = Date.UTC(2026, 2, 2, 4)
const DAY = { startTime: '2026-03-01 00:00:00', endTime: '2026-03-01 23:59:59' }
const ALL = 'startTime=2026-01-01 00:00:00&endTime=2026-12-31 00:00:00'

const at = (minute: number): string => `2026-03-01 08:${String(minute).padStart(2, '0')}:00`

/** A service with what tests send, ask and mark. */
async function open(site = SITE) {
  const service = await withService({ site, now: () => NOW })
  const key = await service.createKey()
  const tokens = { all: await service.issueToken(1), other: await service.issueToken(2) }
  const send = async (way: string, ...records: object[]) => {
    const response = await service.ingest(way, key, { records })
    assert.equal(response.json().accepted, records.length, response.text)
  }
  return {
    service,
    tokens,
    send,
    theme: (station: number, minute: number, values: object, more: object = {}) =>
      send('theme', { station, time: at(minute), values, ...more }),
    raw: (sensor: string, minute: number, values: object) =>
      send('raw', { sensor, time: at(minute), values }),
    mark: (path: string, body: object) => mark(service, tokens.all, path, body),
    values: (station: number) => valuesOf(service, tokens.all, station),
    alarms: () => countAlarms(service, tokens.all),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

function mark(own: TestService, token: string, path: string, body: object): Promise<HttpResponse> {
  return own.call(`/manage/v1/${path}/quality`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...DAY, ...body }),
  })
}

async function valuesOf(own: TestService, token: string, station: number): Promise<object[]> {
  const response = await own.get(`/stations/theme/data?stations=${station}&${ALL}`, token)
  const [found] = response.json().stations
  return (found?.data ?? []).map(({ time: _time, ...values }: Record<string, unknown>) => values)
}

const countAlarms = async (own: TestService, token: string): Promise<number> =>
  (await own.get('/users/1/alarms/new/count', token)).json().count

async function undo({ storage }: TestService, change: number): Promise<void> {
  for (let isDone = false; !isDone;) {
    const step = await storage.changes.undo(change, { limit: 3, now: NOW })
    assert.equal(step.left, 0)
    isDone = step.isDone
  }
}

describe('markStation', () => {
  test('a bad value is not in the interface, and is again when it is good or its change undone', async () => {
    await using own = await open()
    for (const minute of [0, 1, 2])
      await own.theme(1001, minute, { strain: minute, temperature: 5 })
    const window = { startTime: at(1), endTime: at(1) }
    const whole = await own.values(1001)

    const dry = await own.mark('stations/1001', { quality: 'bad', ...window, dryRun: true })
    const bad = await own.mark('stations/1001', { quality: 'bad: cable cut', ...window })
    const meanwhile = await own.values(1001)
    const again = await own.mark('stations/1001', { quality: 'bad: cable cut', ...window })
    const good = await own.mark('stations/1001', {
      quality: 'good',
      items: ['strain'],
      ...window,
    })
    const partly = await own.values(1001)
    await undo(own.service, good.json().change)
    await undo(own.service, bad.json().change)

    const counts = { records: 1, values: 2, ended: [], restored: [] }
    assert.deepEqual(dry.json(), { change: null, ...counts })
    assert.deepEqual(bad.json(), { change: 1, ...counts })
    assert.deepEqual(again.json(), { change: null, ...counts, records: 0, values: 0 })
    assert.deepEqual(meanwhile, [whole[0], whole[2]])
    assert.deepEqual(good.json(), { change: 2, ...counts, values: 1 })
    assert.deepEqual(partly[1], { strain: 1 })
    assert.deepEqual(await own.values(1001), whole)
    const [change] = await own.service.storage.changes.list()
    assert.equal(change!.kind, 'marking')
    assert.equal(
      change!.description,
      `station 1001: theme, all items as bad: cable cut from ${at(1)} to ${at(1)}, by user 1`,
    )
  })

  test('the mark of a person stays with its value, whatever is sent later', async () => {
    await using own = await open()
    await own.theme(1001, 0, { strain: 1 })
    await own.theme(1001, 1, { strain: 1 }, { quality: 'bad' })
    await own.mark('stations/1001', { quality: 'bad', endTime: at(0) })
    await own.mark('stations/1001', { quality: 'good', startTime: at(1) })

    await own.theme(1001, 0, { strain: 7 })
    await own.theme(1001, 1, { strain: 8 }, { quality: 'bad' })

    assert.deepEqual(await own.values(1001), [{ strain: 8 }])
  })

  test('items with odd keys are marked and restored', async () => {
    await using own = await open()
    const values = JSON.parse('{"__proto__":1,"constructor":2,"back\\\\slash":3}') as object
    await own.send('theme', { station: 2002, time: at(0), values })
    const whole = await own.values(2002)

    const { change } = (await own.mark('stations/2002', { quality: 'bad' })).json()
    const meanwhile = await own.values(2002)
    await own.mark('stations/2002', { quality: 'good', items: ['__proto__'] })
    const left = await own.values(2002)

    assert.deepEqual([change, meanwhile], [1, []])
    assert.equal(JSON.stringify(left), '[{"__proto__":1}]')
    assert.equal(whole.length, 1)
  })

  test('an alarm of values that are bad now ends; it is open again when they are good', async () => {
    await using own = await open()
    await own.theme(1001, 0, { strain: 1 })
    await own.theme(1001, 1, { strain: 250 })
    const before = await own.alarms()

    const bad = (await own.mark('stations/1001', { quality: 'bad', startTime: at(1) })).json()
    const meanwhile = await own.alarms()
    const good = (await own.mark('stations/1001', { quality: 'good', startTime: at(1) })).json()

    const source = { id: '1001', name: '应变-01' }
    assert.deepEqual([before, meanwhile, await own.alarms()], [1, 0, 1])
    assert.deepEqual(bad.ended, [{ id: 1, alarmTypeCode: '3007', source, level: 2 }])
    assert.deepEqual(good.restored, [{ id: 1, source, level: 2, outcome: 'reopened' }])
  })

  test('a value that its sender marked as bad raises its alarm when a person marks it as good', async () => {
    await using own = await open()
    await own.theme(1001, 1, { strain: 250 }, { quality: 'bad' })
    const before = await own.alarms()

    const { restored } = (await own.mark('stations/1001', { quality: 'good' })).json()

    assert.deepEqual([before, await own.alarms()], [0, 1])
    assert.deepEqual(restored[0].outcome, 'opened')
  })

  test('the next record raises an alarm after values at later times were marked as bad', async () => {
    await using own = await open()
    await own.theme(1001, 5, { strain: 250 })
    await own.mark('stations/1001', { quality: 'bad' })

    await own.theme(1001, 6, { strain: 350 })

    assert.equal(await own.alarms(), 1)
  })

  test('refuses what is no quality, no item, no station, and a station of others', async () => {
    await using own = await open()

    const cases: [string, object, number, RegExp][] = [
      ['stations/1001', { quality: 'wrong' }, 400, /"quality" is "wrong", expected good/],
      ['stations/1001', { quality: 'bad', items: ['x'] }, 400, /station 1001 has no item "x"/],
      ['stations/1001', { quality: 'bad', endTime: '2026-02-01 00:00:00' }, 400, /lies after/],
      ['stations/9', { quality: 'bad' }, 404, /no station 9/],
      [`sensors/${BASE.replace('02', '99')}`, { quality: 'bad' }, 404, /no sensor/],
    ]
    for (const [path, body, status, message] of cases) {
      const response = await own.mark(path, body)
      assert.equal(response.status, status, response.text)
      assert.match(response.json().message, message)
    }
    const foreign = { quality: 'bad', items: ['x'] }
    const response = await mark(own.service, own.tokens.other, 'stations/1001', foreign)
    assert.equal(response.status, 403)
  })
})

describe('markSensor', () => {
  test('what is derived from a bad raw value is absent, and is derived again when it is good', async () => {
    await using own = await open(derivedSite(2))
    for (const minute of [0, 1]) await own.raw(CELL, minute, { v: 10 + minute })
    const whole = await own.values(11)

    const bad = await own.mark(`sensors/${CELL}`, { quality: 'bad', startTime: at(1) })
    const meanwhile = await own.values(11)
    await own.raw(CELL, 1, { v: 11 })
    const afterResending = await own.values(11)
    const good = await own.mark(`sensors/${CELL}`, { quality: 'good' })

    assert.deepEqual([bad.json().records, good.json().records], [1, 2])
    assert.equal(whole.length, 2)
    assert.deepEqual(meanwhile, whole.slice(0, 1))
    assert.deepEqual(afterResending, meanwhile)
    assert.deepEqual(await own.values(11), whole)
  })

  test('stations that depend on several sensors follow, and undo restores all', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(BASE, 0, { v: 1 })
    await own.raw(POINT, 0, { v: 5 })
    const read = async () => [await own.values(13), await own.values(14)]
    const whole = await read()

    const { change } = (await own.mark(`sensors/${BASE}`, { quality: 'bad' })).json()
    const meanwhile = await read()
    await undo(own.service, change)

    assert.deepEqual([whole[0]?.length, whole[1]?.length], [1, 1])
    assert.deepEqual(meanwhile, [[], []])
    assert.deepEqual(await read(), whole)
  })

  test('what is derived from several sensors is absent too where a sender corrects a value to bad', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(BASE, 0, { v: 1 })
    await own.raw(POINT, 0, { v: 5 })
    const before = await own.values(14)

    await own.send('raw', { sensor: POINT, time: at(0), values: { v: 5 }, quality: 'bad' })

    assert.deepEqual([before.length, await own.values(14)], [1, []])
  })

  test('a marking that ended before it derived is continued by the same request', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(BASE, 0, { v: 1 })
    await own.raw(POINT, 0, { v: 5 })
    const { storage } = own.service
    const quality = { quality: 'bad', reason: '' } as const
    const catalogue = openCatalogue(storage.site)
    const target = chooseMarkingTarget(await catalogue(), { sensor: POINT, quality })
    const description = `${target.description} from ${DAY.startTime} to ${DAY.endTime}, by user 1`
    const change = await storage.changes.begin({ kind: 'marking', description, startedAt: 1 })
    const derivation = { update: () => Promise.reject(new Error('killed')) }
    const parts = { catalogue, storage, commits: storingCommits(storage), derivation }
    const span = { from: 0, to: NOW }
    await assert.rejects(markValues(parts, { target, span, change }), /killed/)
    const before = await own.values(14)

    const response = await own.mark(`sensors/${POINT}`, { quality: 'bad' })

    assert.equal(response.json().change, change)
    assert.equal(before.length, 1)
    assert.deepEqual(await own.values(14), [])
  })

  test('a derived value that a person has marked stays so when its raw value is marked', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(CELL, 0, { v: 10 })
    await own.mark('stations/11', { quality: 'bad' })
    const { change } = (await own.mark(`sensors/${CELL}`, { quality: 'bad' })).json()

    await undo(own.service, change)

    assert.deepEqual(await own.values(11), [])
    await own.mark('stations/11', { quality: 'good' })
    assert.equal((await own.values(11)).length, 1)
  })

  test('recomputing keeps the mark of a person on a value with an uncertain input', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(CELL, 0, { v: 10 })
    await own.mark(`sensors/${CELL}`, { quality: 'uncertain: rust' })
    await own.mark('stations/11', { quality: 'good: compared with another gauge' })
    const read = () =>
      own.service.storage.records.findStored('theme', {
        sources: [11],
        times: [Date.UTC(2026, 2, 1)],
      })
    const before = await read()

    const response = await own.service.call('/manage/v1/structures/1/recompute', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${own.tokens.all}`,
      },
      body: JSON.stringify({ ...DAY, commit: true }),
    })

    assert.equal(response.json().stations[0].changed, 0, response.text)
    assert.match(before[0]?.marks ?? '', /"good".*"person"/)
    assert.deepEqual(await read(), before)
  })

  test('an alarm of a value that is derived from a bad one ends', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(CELL, 0, { v: 2 })
    await own.raw(CELL, 1, { v: 100 })
    const before = await own.alarms()

    const { ended } = (
      await own.mark(`sensors/${CELL}`, { quality: 'bad', startTime: at(1) })
    ).json()
    const meanwhile = await own.alarms()
    await own.mark(`sensors/${CELL}`, { quality: 'uncertain: rust' })

    assert.deepEqual([before, ended.length, meanwhile, await own.alarms()], [1, 1, 0, 1])
  })
})
