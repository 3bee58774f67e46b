import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { NOON, readRecords } from './_ingest.ts'

/** Station 1031 has pv and ppv in cm/s2, and trms in mm/s². */
const SITE_OF_TWO = SITE.replace(
  'key: trms, name: RMS, unit: cm/s2',
  'key: trms, name: RMS, unit: mm/s²',
)

const SAMPLES = [0.001, -0.002, 0.0005]
/** 1 g is 980.665 cm/s². */
const converted = (samples: ArrayLike<number>) =>
  Array.from(samples, (sample) => (sample * 196_133) / 200)
const IN_CM = converted(SAMPLES)

const waveform = { station: 1031, collectTime: NOON, sampleFreq: 100, unit: 'g', samples: SAMPLES }

/** Compares numbers one by one: the difference of two long lists would take minutes to show. */
async function assertStored(service: TestService, unit: string, samples: readonly number[]) {
  const [found] = await service.storage.waveforms.list({
    station: 1031,
    from: 0,
    to: 9e15,
    limit: 9,
  })
  assert.ok(found)
  const chunks = await Array.fromAsync(service.storage.waveforms.readSamples(found))
  const stored = chunks.flatMap((chunk) => [...chunk])
  const different = stored.findIndex((sample, at) => sample !== samples[at])

  assert.deepEqual([found.unit, stored.length], [unit, samples.length])
  assert.deepEqual([stored[different], different], [samples[different], -1])
}

const sendBytes = (
  service: TestService,
  key: string,
  query: Record<string, string>,
  body: Uint8Array,
) =>
  service.call(`/ingest/v1/vibration?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body,
  })

/** More samples than are read on the main thread. */
const LONG = Float64Array.from({ length: 40_000 }, (_, at) => Math.sin(at / 7) / 1000)
const bytesOf = (samples: Float64Array) => new Uint8Array(samples.slice().buffer)

describe('a waveform in another unit than its station', () => {
  test('is converted, with its peaks in the units of their items', async () => {
    await using service = await withService({ site: SITE_OF_TWO })
    const key = await service.createKey()

    const response = await service.ingest('vibration', key, waveform)

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    await assertStored(service, 'cm/s2', IN_CM)
    // √((1 + 4 + 0.25) / 3) / 1000 g = 0.0013229 g = 12.973 mm/s²
    assert.deepEqual(await readRecords(service, 1031), [
      { pv: -1.9613, ppv: 2.942, trms: 12.973, time: NOON },
    ])
  })

  test('is stored as it is sent in another spelling of the unit', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    for (const unit of ['cm/s²', 'cm/s^2', 'CM/SEC/SEC', '']) {
      await service.ingest('vibration', key, { ...waveform, unit })

      await assertStored(service, unit, SAMPLES)
    }
  })

  test('is converted as bare samples, few and many, and as a list of many', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const query = {
      encoding: 'float64',
      station: '1031',
      collectTime: NOON,
      sampleFreq: '100',
      unit: 'g',
    }

    await sendBytes(service, key, query, bytesOf(Float64Array.from(SAMPLES)))
    await assertStored(service, 'cm/s2', IN_CM)
    await sendBytes(service, key, query, bytesOf(LONG))
    await assertStored(service, 'cm/s2', converted(LONG))
    const twice = LONG.map((sample) => 2 * sample)
    await service.ingest('vibration', key, { ...waveform, samples: [...twice] })
    await assertStored(service, 'cm/s2', converted(twice))
  })

  test('is converted from the unit in a file, short and long', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const query = { format: 'CSV', station: '1031', sampleFreq: '100', collectTime: NOON }

    for (const samples of [Float64Array.from(SAMPLES), LONG]) {
      const text = ['a [g]', ...Array.from(samples, String), ''].join('\n')
      const response = await sendBytes(service, key, query, Buffer.from(text))

      assert.equal(response.status, 200)
      await assertStored(service, 'cm/s2', converted(samples))
    }
  })

  test('is rejected by name where the units do not convert, and nothing is stored', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const query = { format: 'CSV', station: '1031', sampleFreq: '100', collectTime: NOON }

    const counts = await service.ingest('vibration', key, { ...waveform, unit: 'counts' })
    const pressure = await service.ingest('vibration', key, { ...waveform, unit: 'Pa' })
    const file = await sendBytes(service, key, query, Buffer.from('a [counts]\n1\n2\n'))

    assert.deepEqual(
      [counts, pressure, file].map(({ status }) => status),
      [400, 400, 400],
    )
    const sentence = 'the unit of the samples is not that of station 1031: '
    assert.ok(counts.json().message.includes(`${sentence}"counts" does not convert to "cm/s2"`))
    assert.ok(
      pressure
        .json()
        .message.includes(
          `${sentence}"Pa" does not convert to "cm/s2": one is a unit of pressure, the other of acceleration`,
        ),
    )
    assert.ok(file.json().message.includes(`channel "a": ${sentence}"counts" does not convert`))
    const stored = { station: 1031, from: 0, to: 9e15, limit: 9 }
    assert.deepEqual(await service.storage.waveforms.list(stored), [])
  })
})
