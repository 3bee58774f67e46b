import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Overview, StationOverview, StructureState } from '@plumbline/contract'
import { eventually } from '../_eventually.ts'
import { IDS } from '../_site.ts'
import { HOUR, MINUTE, START, withClock, type Held } from '../ingest/_early.ts'

let held: Held

before(async () => {
  held = await withClock({ 'alarms.offlineCheckSeconds': 0.05 })
})

after(() => held[Symbol.asyncDispose]())

const read = async (path: string, token = held.token) =>
  held.service.call(`/manage/v1${path}`, { headers: { authorization: `Bearer ${token}` } })

const overview = async (): Promise<Overview> => (await read('/overview')).json()

async function stations(structure = 1): Promise<Map<number, StationOverview>> {
  const { factors }: StructureState = (await read(`/structures/${structure}/state`)).json()
  return new Map(
    factors
      .flatMap(({ groups }) => groups)
      .flatMap((group) => group.stations)
      .map((station) => [station.id, station]),
  )
}

/** The states of stations 1001 to 1004. */
const states = async () => [...(await stations())].slice(0, 4).map(([, { state }]) => state)

describe('getOverview', () => {
  test('a station without a record is empty', async () => {
    const { time, structures } = await overview()

    assert.equal(time, START)
    assert.deepEqual(structures[0], {
      id: 1,
      name: '长江大桥',
      type: { id: 2, name: '桥梁' },
      longitude: 114.3055,
      latitude: 30.5928,
      timeZone: 'Asia/Shanghai',
      stations: { fine: 0, stale: 0, offline: 0, empty: 6 },
      openAlarms: [],
      worstLevel: null,
      newestTime: null,
    })
    assert.deepEqual(await states(), ['empty', 'empty', 'empty', 'empty'])
  })
})

describe('getStructureState', () => {
  test('shows the newest values with their qualities; a bad value is null', async () => {
    const { clock } = held
    clock.now = START + 20 * MINUTE
    await held.sendTheme([0, 1], [10 * MINUTE, 2], [20 * MINUTE, 3])
    await held.send('theme', {
      records: [
        {
          station: 1002,
          time: clock.now,
          values: { strain: 9, temperature: 21 },
          quality: { strain: 'bad: cable cut' },
        },
      ],
    })
    const raw = { sensor: IDS.wire, time: clock.now, values: { temperature: 20, frequency: 1500 } }
    await held.send('raw', { records: [raw] })

    const found = await stations()

    const { state, time, ageSeconds, expectedSeconds, values, position } = found.get(1001)!
    assert.deepEqual([state, time, ageSeconds], ['fine', clock.now, 0])
    assert.deepEqual([expectedSeconds, values, position], [1800, { strain: { value: 3 } }, null])
    const cut = { quality: 'bad', reason: 'cable cut', origin: 'sender', value: 9 }
    assert.deepEqual(found.get(1002)?.values, {
      strain: { value: null, quality: cut },
      temperature: { value: 21 },
    })
    assert.deepEqual(await states(), ['fine', 'fine', 'fine', 'empty'])
    assert.equal((await overview()).structures[0]?.newestTime, clock.now)
  })

  test('a record older than three usual intervals is stale; a silent logger makes its stations offline', async () => {
    held.clock.now += 31 * MINUTE

    await eventually(async () => {
      assert.deepEqual(await states(), ['stale', 'fine', 'offline', 'empty'])
    })
    const [bridge] = (await overview()).structures
    assert.deepEqual(bridge?.stations, { fine: 1, stale: 1, offline: 1, empty: 3 })
    assert.deepEqual(bridge?.openAlarms, [{ level: 3, count: 1 }])
    assert.equal(bridge?.worstLevel, 3)
  })

  test('a station of which no interval is known is stale after a day', async () => {
    held.clock.now += 24 * HOUR

    assert.deepEqual((await states()).slice(0, 2), ['stale', 'stale'])
  })

  test('a new record is fine again, whatever its value; its alarm is counted by its level', async () => {
    await held.send('theme', {
      records: [{ station: 1001, time: held.clock.now, values: { strain: 250 } }],
    })

    const station = (await stations()).get(1001)
    assert.deepEqual([station?.state, station?.worstLevel], ['fine', 2])
    const [bridge] = (await overview()).structures
    assert.deepEqual(bridge?.openAlarms, [
      { level: 2, count: 1 },
      { level: 3, count: 1 },
    ])
    assert.equal(bridge?.worstLevel, 2)
  })

  test('nobody sees structures without access', async () => {
    const river = await held.service.issueToken(2)

    const seen: Overview = (await read('/overview', river)).json()
    const foreign = await read('/structures/1/state', river)
    const unknown = await read('/structures/99/state', river)

    assert.deepEqual(
      seen.structures.map(({ id }) => id),
      [2],
    )
    assert.deepEqual([foreign.status, unknown.status], [403, 404])
  })
})
