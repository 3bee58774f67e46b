import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_service.ts'
import { IDS } from '../_site.ts'
import { HOUR, MINUTE, START, withClock, type Held } from '../ingest/_early.ts'

describe('listClocks', () => {
  test('lists no source while all clocks are right', async () => {
    await using held = await withClock()
    await held.sendTheme([MINUTE, 1])

    const shown = await held.service.call('/manage/v1/clocks', {
      headers: { authorization: `Bearer ${held.token}` },
    })

    assert.deepEqual(shown.json(), {
      now: START,
      toleranceSeconds: 300,
      sources: [],
      earliestTime: Date.UTC(2001, 0, 1),
      behind: [],
    })
  })

  test('sources whose clocks are ahead are logged once, and listed with their largest lead', async () => {
    const port = await freePort()
    await using held = await withClock({ 'ops.port': port })
    const { service, clock } = held
    const vehicle = { structure: 1, lane: '1', direction: 0, axleCount: 2, load: 1 }
    await held.sendTheme([HOUR, 1], [2 * HOUR, 1])
    const raw = { sensor: IDS.wire, time: START + HOUR, values: { temperature: 1 } }
    await held.send('raw', { records: [raw] })
    await held.send('traffic', { records: [{ ...vehicle, time: START + HOUR }] })
    await held.send('heartbeats', { devices: [{ device: IDS.logger, time: START + HOUR }] })
    const waveform = { station: 1031, sampleFreq: 1, unit: 'cm/s2', samples: [1, 2] }
    const stored = await service.ingest('vibration', held.key, {
      ...waveform,
      collectTime: START + HOUR,
    })
    assert.equal(stored.json().accepted, 1, stored.text)
    clock.now += MINUTE
    await held.sendTheme([HOUR, 1])

    const getText = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    const shown = await service.call('/manage/v1/clocks', {
      headers: { authorization: `Bearer ${held.token}` },
    })
    const foreign = await service.call('/manage/v1/clocks', {
      headers: { authorization: `Bearer ${await service.issueToken(2)}` },
    })

    const { sources, ...rest } = shown.json()
    assert.deepEqual(rest, {
      now: clock.now,
      toleranceSeconds: 300,
      earliestTime: Date.UTC(2001, 0, 1),
      behind: [],
    })
    const brief = sources.map(({ kind, source, name, leadSeconds }: any) => [
      kind,
      source,
      name,
      leadSeconds,
    ])
    assert.deepEqual(brief, [
      ['heartbeat', IDS.logger, 'DTU-1', 3600],
      ['raw', IDS.wire, 'VW-01', 3600],
      ['theme', '1001', '应变-01', 7200],
      ['traffic', '1', '长江大桥', 3600],
      ['vibration', '1031', 'A-01', 3600],
    ])
    const { since, lastAt, structure } = sources[2]
    assert.deepEqual([since, lastAt, structure], [START, START + MINUTE, 1])
    assert.deepEqual(foreign.json().sources, [])

    const health = JSON.parse(await getText('/health/clocks'))
    assert.deepEqual(health, { waiting: 4, sources, behind: [] })
    const metrics = await getText('/metrics')
    assert.match(metrics, /^plumbline_early_records 4$/m)
    assert.match(metrics, /^plumbline_early_sources\{kind="theme"\} 1$/m)
    assert.match(metrics, /^plumbline_early_lead_seconds 7200$/m)

    await eventually(() => assert.equal(namedInLog(held), 5))
    await held.sendTheme([90 * MINUTE, 1])
    await held.service.ingest('theme', held.key, {
      records: [{ station: 1002, time: clock.now + 90 * MINUTE, values: { strain: 1 } }],
    })
    // Another source is logged after the first one was not logged again.
    await eventually(() => assert.equal(namedInLog(held), 6))

    clock.now += 25 * HOUR
    assert.deepEqual(JSON.parse(await getText('/health/clocks')).sources, [])
  })
})

/** How many sources the log has named. */
const namedInLog = ({ service }: Held): number =>
  service.logged
    .map((line) => JSON.parse(line) as { msg: string; sources?: number })
    .filter(({ msg }) => msg.startsWith('records are ahead'))
    .reduce((sum, { sources = 0 }) => sum + sources, 0)
