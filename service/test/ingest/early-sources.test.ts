import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IDS } from '../_site.ts'
import { HOUR, MINUTE, START, withClock, type Held } from './_early.ts'

const newest = async (held: Held, station: number) => {
  const response = await held.get(`/stations/theme/data?stations=${station}&limit=1`)
  return response.json().stations[0].data
}

const raw = (after: number, temperature: number) => ({
  records: [{ sensor: IDS.wire, time: START + after, values: { frequency: 1500, temperature } }],
})

const waveform = (after: number, sample: number) => ({
  station: 1031,
  collectTime: START + after,
  sampleFreq: 1,
  unit: 'cm/s2',
  samples: [0, sample],
})

const post = (held: Held, path: string, body: string, type: string) =>
  held.service.call(path, {
    method: 'POST',
    headers: { 'content-type': type, authorization: `Bearer ${held.key}` },
    body,
  })

test('a record derived from an early raw record is early, and raises its alarm when its time has come', async () => {
  await using held = await withClock()
  await held.send('raw', raw(HOUR, 70))
  await held.send('raw', raw(0, 20))

  assert.equal((await newest(held, 1003))[0].temperature, 20)
  assert.deepEqual(await held.alarms('1003'), [])

  held.clock.now = START + HOUR
  await held.alarmsBecome([[0, '2026-03-01 09:00:00', '2026-03-01 09:00:00']], '1003')
  assert.equal((await newest(held, 1003))[0].temperature, 70)
})

test('the records of an early waveform are early', async () => {
  await using held = await withClock()

  for (const [after, sample] of [
    [HOUR, 9],
    [0, 1],
  ] as const) {
    const response = await held.service.ingest('vibration', held.key, waveform(after, sample))
    assert.equal(response.json().accepted, 1, response.text)
  }

  assert.equal((await newest(held, 1031))[0].pv, 1)
  const token = held.token
  const batches = await held.service.call('/manage/v1/stations/1031/vibration/batches?limit=1', {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.match(batches.text, /2026-03-01 08:00:00/)
  held.clock.now = START + HOUR
  assert.equal((await newest(held, 1031))[0].pv, 9)
})

test('points of line protocol and manual readings may be early', async () => {
  await using held = await withClock()
  const time = START + HOUR
  const body = JSON.stringify({ records: [{ time, values: { strain: 7 } }] })
  const reading = await held.service.call('/manage/v1/stations/1001/readings', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${held.token}` },
    body,
  })
  assert.equal(reading.json().accepted, 1, reading.text)
  const line = `m,sensor=${IDS.wire} temperature=5,frequency=1500 ${BigInt(time) * 1_000_000n}`
  const points = await post(held, '/ingest/v1/influx', line, 'text/plain')
  assert.equal(points.status < 300, true, points.text)
  await held.sendTheme([0, 1])

  assert.deepEqual(held.values(await held.get('/stations/theme/data?stations=1001&limit=1')), [1])
  assert.deepEqual(await newest(held, 1003), [])
  const list = await held.service.call('/manage/v1/stations/1001/readings?limit=1', {
    headers: { authorization: `Bearer ${held.token}` },
  })
  assert.deepEqual(list.json().readings, [])
})

test('an early record that was deleted raises no alarm when its time has come', async () => {
  await using held = await withClock()
  await held.sendTheme([HOUR, 250])
  const { records } = held.service.storage

  await records.write({}, { deletions: { theme: { sources: [1001], times: [START + HOUR] } } })
  held.clock.now = START + HOUR
  await held.waitUntilEvaluated()

  assert.deepEqual(await held.alarms(), [])
})

test('an early record that a change has replaced is evaluated as it is after undo', async () => {
  await using held = await withClock()
  await held.sendTheme([HOUR, 0])
  const { changes, records } = held.service.storage
  const change = await changes.begin({ kind: 'import', description: 'test', startedAt: START })
  const record = '{"strain":250,"time":"2026-03-01 09:00:00"}'
  const theme = { sources: [1001], times: [START + HOUR], records: [record] }
  await records.write({ theme }, { change })

  const { isDone } = await changes.undo(change, { limit: 10, now: START })
  held.clock.now = START + HOUR
  await held.waitUntilEvaluated()

  assert.equal(isDone, true)
  assert.deepEqual(await held.alarms(), [])
})

test('records that follow a deletion of today’s records are not late', async () => {
  await using held = await withClock()
  held.clock.now = START + HOUR
  await held.sendTheme([HOUR, 0])
  const { records } = held.service.storage

  await records.write({}, { deletions: { theme: { sources: [1001], times: [START + HOUR] } } })
  await held.sendTheme([MINUTE, 250])

  assert.deepEqual(await held.alarms(), [[0, '2026-03-01 08:01:00', '2026-03-01 08:01:00']])
})
