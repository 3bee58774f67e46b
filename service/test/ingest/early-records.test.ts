import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { IDS } from '../_site.ts'
import { HOUR, MINUTE, START, withClock } from './_early.ts'

test('an early record does not hide the newest record', async () => {
  await using held = await withClock()
  await held.sendTheme([23 * HOUR, 500])
  held.clock.now = START + 5 * MINUTE
  await held.sendTheme([5 * MINUTE, 1])

  const newest = await held.get('/stations/theme/data?stations=1001&limit=1')
  const window = '&startTime=2026-03-01 00:00:00&endTime=2026-03-03 00:00:00'
  const limited = await held.get(`/stations/theme/data?stations=1001&limit=5${window}`)
  const whole = await held.get(`/stations/theme/data?stations=1001${window}`)

  assert.deepEqual(held.values(newest), [1])
  assert.deepEqual(held.values(limited), [1])
  assert.deepEqual(held.values(whole), [1, 500])
})

test('an early record is the newest once its time has come', async () => {
  await using held = await withClock()
  await held.sendTheme([HOUR, 500])
  await held.sendTheme([0, 1])

  held.clock.now = START + HOUR - 5 * MINUTE
  const newest = await held.get('/stations/theme/data?stations=1001&limit=1')

  assert.deepEqual(held.values(newest), [500])
})

test('an early record mutes no alarm, and raises its own when its time has come', async () => {
  await using held = await withClock()
  await held.sendTheme([23 * HOUR, 250])
  held.clock.now = START + MINUTE
  await held.sendTheme([MINUTE, 250])
  await held.sendTheme([2 * MINUTE, 0])

  assert.deepEqual(await held.alarms(), [[3, '2026-03-01 08:01:00', '2026-03-01 08:02:00']])

  held.clock.now = START + 23 * HOUR
  await held.alarmsBecome([
    [3, '2026-03-01 08:01:00', '2026-03-01 08:02:00'],
    [0, '2026-03-02 07:00:00', '2026-03-02 07:00:00'],
  ])
})

test('a record within the clock tolerance is stored and evaluated like any other', async () => {
  await using held = await withClock({ 'ingest.clockToleranceSeconds': 60 })

  await held.sendTheme([MINUTE, 250])
  await held.sendTheme([MINUTE + 1, 300])

  assert.deepEqual(await held.alarms(), [[0, '2026-03-01 08:01:00', '2026-03-01 08:01:00']])
})

test('an early record that is sent again before its time is evaluated as it was sent last', async () => {
  await using held = await withClock()
  await held.sendTheme([HOUR, 250])

  await held.sendTheme([HOUR, 0])
  held.clock.now = START + HOUR
  await held.waitUntilEvaluated()

  assert.deepEqual(await held.alarms(), [])
})

test('a restarted service evaluates an early record when its time has come', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-early-'))
  after(() => rm(folder, { recursive: true, force: true }))
  {
    await using first = await withClock({}, { folder })
    await first.sendTheme([HOUR, 250])
  }
  await using held = await withClock({}, { folder })

  held.clock.now = START + HOUR

  await held.alarmsBecome([[0, '2026-03-01 09:00:00', '2026-03-01 09:00:00']])
})

test('a record more than a day ahead is rejected with both times in the zone of its structure', async () => {
  await using held = await withClock()
  const time = START + 24 * HOUR + 1000
  const far = "is more than one day ahead of the service's clock (2026-03-01 08:00:00)"

  const theme = { records: [{ station: 1001, time, values: { strain: 1 } }] }
  const raw = { records: [{ sensor: IDS.wire, time, values: { temperature: 1 } }] }
  const vehicle = { structure: 1, time, lane: '1', direction: 0, axleCount: 2, load: 1 }
  for (const [way, body] of [
    ['theme', theme],
    ['raw', raw],
    ['traffic', { records: [vehicle] }],
    ['heartbeats', { devices: [{ device: IDS.logger, time }] }],
  ] as const) {
    const response = await held.service.ingest(way, held.key, body)
    const { accepted, rejected } = response.json()
    assert.equal(accepted, 0, response.text)
    assert.equal(rejected[0].message, `time 2026-03-02 08:00:01 ${far}`, way)
  }
  const waveform = { station: 1031, collectTime: time, sampleFreq: 1, unit: 'cm/s2', samples: [1] }
  const response = await held.service.ingest('vibration', held.key, waveform)
  assert.equal(response.status, 400)
  assert.ok(response.text.includes(`collectTime 2026-03-02 08:00:01 ${far}`), response.text)
})
