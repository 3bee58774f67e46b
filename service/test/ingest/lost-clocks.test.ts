import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_service.ts'
import { IDS } from '../_site.ts'
import { HEADER, watched } from './_watched.ts'
import { MINUTE, START, withClock, type Held } from './_early.ts'

const LOST = Date.UTC(2000, 0, 1, 0, 5)
const SENTENCE =
  "time 2000-01-01 08:05:00 lies before 2001-01-01 08:00:00 (ingest.earliestTime): the service's clock says 2026-03-01 08:00:00"

const strain = (time: unknown, value = 1) => ({ station: 1001, time, values: { strain: value } })

const bodies = (time: number): [way: string, body: object][] => [
  ['theme', { records: [strain(time)] }],
  ['raw', { records: [{ sensor: IDS.wire, time, values: { temperature: 1 } }] }],
  [
    'traffic',
    { records: [{ structure: 1, lane: '1', direction: 0, axleCount: 2, load: 1, time }] },
  ],
  ['heartbeats', { devices: [{ device: IDS.logger, time }] }],
]

async function reasons(held: Held, way: string, body: object): Promise<string[]> {
  const response = await held.service.ingest(way, held.key, body)
  assert.equal(response.status, 200, response.text)
  return response.json().rejected.map(({ message }: { message: string }) => message)
}

test('a live record of a clock that has lost its time is rejected with both times', async () => {
  await using held = await withClock()

  for (const [way, body] of bodies(LOST))
    assert.deepEqual(await reasons(held, way, body), [SENTENCE], way)
  const waveform = {
    station: 1031,
    collectTime: LOST,
    sampleFreq: 1,
    unit: 'cm/s2',
    samples: [1, 2],
  }
  const refused = await held.service.ingest('vibration', held.key, waveform)
  assert.equal(refused.status, 400)
  assert.match(refused.json().message, /collectTime 2000-01-01 08:05:00 lies before 2001-01-01/)
})

test('a record at the earliest accepted time is stored, and so are the valid ones of a record batch', async () => {
  await using held = await withClock({ 'ingest.earliestTime': '2000-01-01T08:05:00+08:00' })

  const found = await reasons(held, 'theme', { records: [strain(LOST - 1), strain(LOST)] })

  assert.equal(found.length, 1)
  const response = await held.get('/stations/theme/data?stations=1001&limit=9')
  assert.deepEqual(held.values(response), [1])
})

test('sources that have lost their time are logged once, and listed until a day after they are right', async () => {
  const port = await freePort()
  await using held = await withClock({ 'ops.port': port })
  for (const [way, body] of bodies(LOST)) await reasons(held, way, body)
  held.clock.now += MINUTE
  await reasons(held, 'theme', { records: [strain(LOST + MINUTE), strain(LOST)] })

  const getText = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  const list = async (token: string) =>
    (
      await held.service.call('/manage/v1/clocks', {
        headers: { authorization: `Bearer ${token}` },
      })
    ).json()
  const shown = await list(held.token)

  assert.equal(shown.earliestTime, Date.UTC(2001, 0, 1))
  assert.deepEqual(shown.sources, [])
  assert.deepEqual(
    shown.behind.map(({ kind, source, name }: any) => [kind, source, name]),
    [
      ['heartbeat', IDS.logger, 'DTU-1'],
      ['raw', IDS.wire, 'VW-01'],
      ['theme', '1001', '应变-01'],
      ['traffic', '1', '长江大桥'],
    ],
  )
  const { time, since, lastAt, structure } = shown.behind[2]
  assert.deepEqual([time, since, lastAt, structure], [LOST + MINUTE, START, START + MINUTE, 1])
  assert.deepEqual((await list(await held.service.issueToken(2))).behind, [])
  assert.deepEqual(JSON.parse(await getText('/health/clocks')).behind, shown.behind)
  assert.match(await getText('/metrics'), /^plumbline_behind_sources\{kind="theme"\} 1$/m)
  const named = () =>
    held.service.logged
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.startsWith('records from before ingest.earliestTime'))
      .reduce((sum, { sources }) => sum + sources, 0)
  await eventually(() => assert.equal(named(), 4))

  held.clock.now += 24 * 60 * MINUTE + 1
  assert.deepEqual(JSON.parse(await getText('/health/clocks')).behind, [])
})

test('manual readings may have any past time', async () => {
  await using held = await withClock()

  const response = await held.service.call('/manage/v1/stations/1001/readings', {
    method: 'POST',
    headers: { authorization: `Bearer ${held.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records: [{ time: '1987-05-01 10:00:00', values: { strain: 4 } }] }),
  })

  assert.deepEqual(response.json().rejected, [])
})

test('rows of a watched folder are live; replayed, they are rejected again while the clock is wrong', async () => {
  await using place = await watched()
  await writeFile(place.path('a.csv'), `${HEADER}1970-01-01 08:00:05;1\n2024-03-01 00:00:00;2\n`)
  await place.start()
  await place.until(() => place.strains(), [2])
  const { service } = place

  const [kept] = await service.storage.rejects.list({ limit: 9 })
  const replay = await service.call('/manage/v1/rejects/replay', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await service.issueToken()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ids: [kept!.id] }),
  })

  assert.match(kept!.reason, /^time 1970-01-01 08:00:05 lies before 2001-01-01 08:00:00/)
  assert.match(replay.json().rejected[0].message, /^time 1970-01-01 08:00:05 lies before/)
})
