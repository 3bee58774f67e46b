import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { IDS, SITE } from '../_site.ts'
import { withService } from '../_service.ts'
import { NOON, readRecords } from './_ingest.ts'

const raw = (sensor: unknown, time: unknown, values: unknown) => ({ sensor, time, values })

describe('ingestRaw', () => {
  test('raw values are stored whole, and the station has the derived values', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('raw', key, {
      records: [raw(IDS.wire.toUpperCase(), NOON, { frequency: 1600.0375, temperature: 25.256 })],
    })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    // 0.004 (1600.0375² - 1500²) + 12.2 (25.256 - 20) = 1304.6032056…, rounded to 0.01
    assert.deepEqual(await readRecords(service, 1003), [
      { strain: 1304.6, temperature: 25.26, time: NOON },
    ])
    const token = await service.issueToken()
    const read = await service.post(
      '/structures/1/factors/15/stations/data?startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:00:00',
      token,
      { stations: [1003] },
    )
    assert.deepEqual(read.json().raw.sensors[0].data, [
      { values: { frequency: 1600.0375, temperature: 25.256 }, time: NOON },
    ])
  })

  test('a missing input leaves its item out, and a raw record without inputs derives no record', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('raw', key, {
      records: [
        raw(IDS.wire, '2026-03-01 12:00:00', { frequency: 1600 }),
        raw(IDS.wire, '2026-03-01 12:01:00', { temperature: 21 }),
      ],
    })

    assert.deepEqual(await readRecords(service, 1003), [
      { temperature: 21, time: '2026-03-01 12:01:00' },
    ])
  })

  test('parameters apply from their validFrom on, by the time of the record', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('raw', key, {
      records: [
        raw(IDS.gauge, '2026-03-01 12:00:00', { reading: 10 }),
        raw(IDS.gauge, '2026-03-01 11:59:59', { reading: 10 }),
      ],
    })

    assert.deepEqual(await readRecords(service, 1004), [
      { strain: 31, time: '2026-03-01 12:00:00' },
      { strain: 20, time: '2026-03-01 11:59:59' },
    ])
  })

  test('sent again, the last one wins in the raw and in the derived record', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const responses = []
    for (const reading of [10, 11])
      responses.push(
        await service.ingest('raw', key, { records: [raw(IDS.gauge, NOON, { reading })] }),
      )

    assert.deepEqual(
      responses.map((response) => response.json().replaced),
      [0, 1],
    )
    assert.deepEqual(await readRecords(service, 1004), [{ strain: 34, time: NOON }])
  })

  test('each rejected record has a reason', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const cases: [unknown, string][] = [
      [null, 'a record must be {sensor, time, values}'],
      [raw(7, NOON, {}), 'sensor 7 is not known'],
      [raw('x', NOON, {}), 'sensor "x" is not known'],
      [raw(IDS.wire, 'x', { frequency: 1 }), 'time must be'],
      [raw(IDS.wire, NOON, { reading: 1 }), 'sensor VW-01 has no item "reading"'],
      [raw(IDS.logger, NOON, { reading: 1 }), 'sensor DTU-1 has no item "reading"'],
      [raw(IDS.wire, NOON, {}), 'values is empty'],
    ]

    const response = await service.ingest('raw', key, { records: cases.map(([record]) => record) })

    assert.equal(response.json().accepted, 0)
    for (const [index, [, message]] of cases.entries())
      assert.ok(response.json().rejected[index].message.startsWith(message), message)
  })
})
