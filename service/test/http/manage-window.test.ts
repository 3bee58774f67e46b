import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as contract from '@plumbline/contract'
import { IDS, SITE } from '../_site.ts'
import { shareService } from '../_suite.ts'

const suite = shareService({ site: SITE }, async ({ service, key }) => {
  const records = [
    { station: 1001, time: '2026-03-01 12:00:00', values: { strain: 7 } },
    { station: 1001, time: '2026-03-02 12:00:00', values: { strain: 8 } },
  ]
  assert.equal((await service.ingest('theme', key, { records })).json().accepted, 2)
})

const LOCAL = { startTime: '2026-03-01 12:00:00', endTime: '2026-03-01 23:59:59' }
const INSTANTS = {
  startTime: '2026-03-01T12:00:00+08:00',
  endTime: '2026-03-01T15:59:59.999Z',
}

const PATHS: Record<string, string> = {
  getSeries: '/series?stations=1001&',
  listStationRecords: '/stations/1001/records?',
  listSensorRecords: `/sensors/${IDS.wire}/records?`,
  listReadings: '/stations/1001/readings?',
  listVibrationBatches: '/stations/1031/vibration/batches?',
  countTraffic: '/structures/1/traffic/counts?',
}

const BODIES: Record<string, { path: string; body: object }> = {
  deleteRecords: { path: '/records/delete', body: { station: 1001, dryRun: true } },
  markStation: { path: '/stations/1001/quality', body: { quality: 'bad', dryRun: true } },
  markSensor: { path: `/sensors/${IDS.wire}/quality`, body: { quality: 'bad', dryRun: true } },
  recompute: { path: '/structures/1/recompute', body: {} },
  backtestThresholds: {
    path: '/thresholds/backtest',
    body: {
      structure: 1,
      factor: 15,
      thresholds: {
        stations: [1001],
        items: [{ item: 'strain', config: [{ thresholds: [{ level: 3, value: '(5,+)' }] }] }],
      },
    },
  },
}

const explain = (time: string) =>
  suite.service.call(
    `/manage/v1/stations/1001/explain?${new URLSearchParams({ time, token: suite.token })}`,
  )

/** The filters of the interface are local times of each structure; a maintenance is to come. */
const HAS_LOCAL_TIMES = new Set(['searchAlarms', 'startMaintenance'])

type Window = typeof LOCAL

const ask = (name: string, window: Window) => {
  const headers = { authorization: `Bearer ${suite.token}`, 'content-type': 'application/json' }
  const asked = BODIES[name]
  if (asked === undefined)
    return suite.service.call(`/manage/v1${PATHS[name]}${new URLSearchParams(window)}`, { headers })
  const body = JSON.stringify({ ...asked.body, ...window })
  return suite.service.call(`/manage/v1${asked.path}`, { method: 'POST', headers, body })
}

/** The audit log belongs to no structure: its windows are epoch milliseconds. */
const hasWindow = (schema: unknown): boolean =>
  JSON.stringify(schema ?? {}).includes('"endTime":{"type":"string"')

describe('windows of /manage/v1', () => {
  test('every operation is asked here', () => {
    const found = Object.values(contract).filter(
      (one): one is typeof contract.getSeries =>
        typeof one === 'object' && 'operationId' in one && one.base === '/manage/v1',
    )
    const names = found
      .filter(({ schema: { querystring, ...schema } }) =>
        [querystring, (schema as { body?: unknown }).body].some(hasWindow),
      )
      .map(({ operationId }) => operationId as string)
      .filter((name) => !name.endsWith('ThresholdBatch') && !HAS_LOCAL_TIMES.has(name))

    assert.deepEqual(names.toSorted(), [...Object.keys(PATHS), ...Object.keys(BODIES)].toSorted())
  })

  for (const name of [...Object.keys(PATHS), ...Object.keys(BODIES)])
    test(`${name} reads instants as it reads the local times`, async () => {
      const local = await ask(name, LOCAL)
      const instants = await ask(name, INSTANTS)

      assert.equal(local.status, 200, local.text)
      const expected = local.text.replaceAll('2026-03-01 12:00:00', '2026-03-01T12:00:00.000+08:00')
      assert.equal(instants.text, name === 'getSeries' ? expected : local.text)
      const reversed = await ask(name, { ...INSTANTS, endTime: '2026-03-01T03:59:59.999Z' })
      assert.match(reversed.json().message, /"startTime" lies after "endTime"/)
    })

  test('an instant with a fraction explains the record of that millisecond', async () => {
    assert.equal((await explain('2026-03-01T04:00:00.000Z')).json().records.length, 1)
    assert.equal((await explain('2026-03-01T12:00:00+08:00')).json().records.length, 1)
    assert.equal((await explain('2026-03-01T04:00:00.001Z')).status, 404)
  })
})
