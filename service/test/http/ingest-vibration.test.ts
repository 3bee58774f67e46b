import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService } from '../_service.ts'
import { NOON, readRecords, send } from './_ingest.ts'

describe('ingestVibration', () => {
  const batch = {
    station: 1031,
    collectTime: NOON,
    sampleFreq: 100,
    unit: 'cm/s2',
    samples: [1, -3.5, 2],
  }

  test('the batch’s theme record carries the signed peak, peak to peak and RMS', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('vibration', key, batch)

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    // √((1 + 12.25 + 4) / 3) = 2.39792…
    assert.deepEqual(await readRecords(service, 1031), [
      { pv: -3.5, ppv: 5.5, trms: 2.3979, time: NOON },
    ])
  })

  test('sent again, the last one wins whole', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('vibration', key, batch)
    const response = await service.ingest('vibration', key, { ...batch, samples: [7] })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 1, rejected: [] })
    const token = await service.issueToken()
    const read = await service.get(
      '/stations/1031/vibration/raw?collectTime=2026-03-01+12:00:00',
      token,
    )
    assert.deepEqual(read.json().data, [{ value: '7', time: '1' }])
    assert.deepEqual(await readRecords(service, 1031), [{ pv: 7, ppv: 0, trms: 7, time: NOON }])
  })

  test('an invalid waveform is a 400 alone, and is named among lines', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const cases: [unknown, string][] = [
      [null, 'a batch must be {station, collectTime, sampleFreq, unit, samples}'],
      [{ ...batch, station: 99 }, 'station 99 is not known'],
      [{ ...batch, collectTime: 'x' }, 'collectTime must be'],
      [{ ...batch, sampleFreq: 0 }, 'sampleFreq must be a number of Hz up to 10000000'],
      [{ ...batch, sampleFreq: 'fast' }, 'sampleFreq must be a number of Hz up to 10000000'],
      [{ ...batch, unit: 1 }, 'unit must be text of at most 64 characters'],
      [{ ...batch, samples: [] }, 'samples must be a list of at least one number'],
      [{ ...batch, samples: '1,2' }, 'samples must be a list of at least one number'],
      [{ ...batch, samples: [1, null] }, 'samples[1] must be a finite number'],
    ]

    const lines = [batch, ...cases.map(([one]) => one)].map((one) => JSON.stringify(one)).join('\n')
    const many = await send(service, 'vibration', key, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines,
    })

    assert.equal(many.json().accepted, 1)
    for (const [index, [body, message]] of cases.entries()) {
      const rejected = many.json().rejected[index]
      assert.equal(rejected.index, index + 1)
      assert.ok(rejected.message.startsWith(message), rejected.message)
      const single = await service.ingest('vibration', key, body)
      assert.deepEqual([single.status, single.json().name], [400, 'IngestError'])
      assert.ok(
        single.json().message.startsWith(`The vibration batch could not be stored: ${message}`),
        single.json().message,
      )
    }
  })
})
