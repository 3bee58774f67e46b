import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { NOON } from './_ingest.ts'

const readVehicles = async (service: TestService): Promise<any[]> => {
  const token = await service.issueToken()
  const response = await service.get(
    '/structures/1/traffic-flow?startTime=2026-03-01+00:00:00&endTime=2026-03-01+23:59:59',
    token,
  )
  return response.json().data
}

describe('ingestTraffic', () => {
  const vehicle = {
    structure: 1,
    time: NOON,
    lane: '2',
    direction: 0,
    axleCount: 2,
    load: 2.3,
  }

  test('what is left out, or null, is an empty plate, no axle text and no overload', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const nulls = { license: null, axleLoad: null, overload: null, id: null }

    const response = await service.ingest('traffic', key, {
      records: [vehicle, { ...vehicle, ...nulls }],
    })

    assert.deepEqual(response.json(), { accepted: 2, replaced: 1, rejected: [] })
    assert.deepEqual(await readVehicles(service), [
      {
        license: '',
        time: NOON,
        lane: '2',
        direction: 0,
        axleCount: 2,
        load: 2.3,
        axleLoad: '',
        overload: false,
      },
    ])
  })

  test('an exact repeat is stored once, another vehicle of the same second beside it', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('traffic', key, {
      records: [vehicle, { ...vehicle, lane: 1 }, vehicle, { ...vehicle, speed: 67 }],
    })

    assert.deepEqual(response.json(), { accepted: 4, replaced: 1, rejected: [] })
    assert.deepEqual((await readVehicles(service)).map(({ lane }) => lane).toSorted(), [
      '1',
      '2',
      '2',
    ])
  })

  test('a record with an id replaces the earlier one of that id', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('traffic', key, {
      records: [
        { ...vehicle, id: 'wim-1', license: 'A' },
        { ...vehicle, id: 'wim-2', license: 'B' },
        { ...vehicle, id: 'wim-1', license: 'C' },
      ],
    })

    assert.deepEqual(response.json(), { accepted: 3, replaced: 1, rejected: [] })
    const plates = (await readVehicles(service)).map(({ license }) => license)
    assert.deepEqual(plates.toSorted(), ['B', 'C'])
  })

  test('each rejected record has a reason, and none repeats a plate', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const cases: [unknown, string][] = [
      [null, 'a record must be {structure, time, lane, direction, axleCount, load, …}'],
      [{ ...vehicle, structure: 99 }, 'structure 99 is not known'],
      [{ ...vehicle, time: 'x' }, 'time must be'],
      [{ ...vehicle, id: 1.5 }, 'id must be text or a whole number'],
      [{ ...vehicle, license: 4711 }, 'license must be text of at most 64 characters'],
      [{ ...vehicle, license: 'P'.repeat(65) }, 'license must be text of at most 64 characters'],
      [{ ...vehicle, lane: undefined }, 'lane must be text of at most 64 characters'],
      [{ ...vehicle, direction: 2 }, 'direction must be 0 (toward the bridge) or 1 (away from it)'],
      [{ ...vehicle, axleCount: 1.5 }, 'axleCount must be a whole number from 0 to 1000'],
      [{ ...vehicle, load: '2' }, 'load must be a finite number'],
      [{ ...vehicle, axleLoad: [1] }, 'axleLoad must be text of at most 64 characters'],
      [{ ...vehicle, overload: 1 }, 'overload must be true or false'],
    ]

    const response = await service.ingest('traffic', key, {
      records: cases.map(([record]) => record),
    })

    assert.equal(response.json().accepted, 0)
    for (const [index, [, message]] of cases.entries())
      assert.ok(
        response.json().rejected[index].message.startsWith(message),
        response.json().rejected[index].message,
      )
    assert.ok(!response.text.includes('PPP') && !response.text.includes('4711'))
  })
})
