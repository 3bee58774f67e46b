import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeyTargets } from '../../src/domain/access/key-targets.ts'
import { withBroker } from '../ingest/_broker.ts'
import { Publisher, storedNumbers } from '../ingest/_messages.ts'
import { SENSORS } from '../ingest/_site.ts'
import { withService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'

const TIME = '2026-03-01 08:00:00'
const NOW = Date.UTC(2026, 2, 2)
const NONE: KeyTargets = { structures: [], stations: [], sensors: [] }

const open = () => withService({ site: SITE, now: () => NOW })

const rejected = (...entries: [index: number, name: string][]) =>
  entries.map(([index, name]) => ({ index, message: `the ingest key may not write to ${name}` }))

describe('a key with targets', () => {
  test('writes to its stations; records of others are rejected with a reason, not the batch', async () => {
    await using service = await open()
    const key = await service.createKey('bound', { ...NONE, structures: [2], stations: [1001] })
    const records = [
      { station: 1001, time: TIME, values: { strain: 1 } },
      { station: 1002, time: TIME, values: { strain: 1 } },
      { station: 2001, time: TIME, values: { waterLevel: 1 } },
    ]

    const response = await service.ingest('theme', key, { records })

    const report = { accepted: 2, replaced: 0, rejected: rejected([1, 'station 1002']) }
    assert.deepEqual(response.json(), report)
    const token = await service.issueToken()
    const { stations } = (
      await service.get('/stations/theme/data?stations=1001,1002,2001&limit=1', token)
    ).json()
    assert.deepEqual(
      stations.map(({ data }: { data: unknown[] }) => data.length),
      [1, 0, 1],
    )
  })

  test('writes to its sensors, also as heartbeats and points', async () => {
    await using service = await open()
    const key = await service.createKey('bound', { ...NONE, sensors: [IDS.wire] })
    const values = { frequency: 1500 }
    const foreign = `sensor ${IDS.gauge}`

    const raw = await service.ingest('raw', key, {
      records: [
        { sensor: IDS.wire.toUpperCase(), time: TIME, values },
        { sensor: IDS.gauge, time: TIME, values: { reading: 1 } },
      ],
    })
    const beats = await service.ingest('heartbeats', key, {
      devices: [
        { device: IDS.logger, time: TIME },
        { device: IDS.wire, time: TIME },
      ],
    })
    const points = await service.call('/ingest/v1/influx?precision=s', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
      body: `m,sensor=${IDS.gauge} reading=2 1772300000\nm,sensor=${IDS.wire} frequency=3 1772300000`,
    })

    assert.deepEqual(raw.json().rejected, rejected([1, foreign]))
    assert.deepEqual(beats.json().rejected, rejected([0, `device ${IDS.logger}`]))
    assert.deepEqual(points.json(), {
      accepted: 1,
      replaced: 0,
      rejected: [{ index: 0, message: `line 1: the ingest key may not write to ${foreign}` }],
    })
  })

  test('writes vehicles and waveforms of its own targets only', async () => {
    await using service = await open()
    const river = await service.createKey('river', { ...NONE, structures: [2] })
    const bridge = await service.createKey('bridge', { ...NONE, structures: [1] })
    const vehicle = { structure: 1, time: TIME, lane: '1', direction: 0, axleCount: 2, load: 3 }
    const waveform = { station: 1031, collectTime: TIME, sampleFreq: 10, unit: 'g', samples: [1] }

    const foreign = await service.ingest('traffic', river, { records: [vehicle] })
    const own = await service.ingest('traffic', bridge, { records: [vehicle] })
    const foreignWaveform = await service.ingest('vibration', river, waveform)
    const ownWaveform = await service.ingest('vibration', bridge, waveform)

    assert.deepEqual(foreign.json().rejected, rejected([0, 'the traffic of structure 1']))
    assert.equal(own.json().accepted, 1)
    assert.equal(foreignWaveform.status, 400)
    assert.match(foreignWaveform.json().message, /the ingest key may not write to station 1031\.$/)
    assert.equal(ownWaveform.json().accepted, 1)
  })

  test('without targets writes to everything, as before', async () => {
    await using service = await open()
    const records = [1001, 1002].map((station) => ({ station, time: TIME, values: { strain: 1 } }))

    const response = await service.ingest('theme', await service.createKey(), { records })

    assert.equal(response.json().accepted, 2)
  })
})

test('the embedded broker keeps to the targets of the key; other messages become rejects', async () => {
  const { service, port, password } = await withBroker()
  await using _ = service
  const bound = await service.createKey('bound', { ...NONE, sensors: [SENSORS.single] })
  const stranger = await service.createKey('stranger', { ...NONE, stations: [1] })
  const connect = (secret: string) =>
    Publisher.connect(`mqtts://localhost:${port}`, {
      ca: service.certificate,
      username: 'logger',
      password: secret,
    })

  for (const [number, secret] of [password, bound, stranger].entries()) {
    await using publisher = await connect(secret)
    await publisher.publishRecords([number])
  }

  assert.deepEqual(storedNumbers(service.folder), [0, 1])
  const [reject, ...more] = await service.storage.rejects.list({ limit: 9 })
  assert.deepEqual(more, [])
  assert.equal(reject?.reason, `the ingest key may not write to sensor ${SENSORS.single}`)
})
