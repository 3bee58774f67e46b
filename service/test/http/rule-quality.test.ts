import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const BATCHES = '/manage/v1/structures/1/factors/15/threshold/batches'

/** Over its threshold from 100 on; a value more than 50 from the median of three is a spike. */
const batchOf = (quality: string) => ({
  stations: [1004],
  items: [
    {
      item: 'strain',
      config: [{ thresholds: [{ level: 1, value: '(100,+)' }] }],
      range: { high: 500, level: 3, quality: 'good' },
      spike: { deviation: 50, records: 3, quality },
    },
  ],
})

async function post(own: TestService, path: string, body: object) {
  const response = await own.call(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await own.issueToken()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 200, response.text)
  return response.json()
}

/** The alarms that are open after values, one a minute, under a threshold batch of a request. */
async function openAfter(own: TestService, quality: string, values: number[]): Promise<number> {
  await post(own, BATCHES, { thresholds: batchOf(quality) })
  const records = values.map((strain, minute) => {
    return { station: 1004, time: `2026-03-01 00:0${minute}:00`, values: { strain } }
  })
  await own.ingest('theme', await own.createKey(), { records })
  return (await own.get('/users/1/alarms/new/count', await own.issueToken())).json().count
}

/** The alarms that a back-test counts over the same records. */
async function backTest(own: TestService, quality: string): Promise<number> {
  const { stations } = await post(own, '/manage/v1/thresholds/backtest', {
    structure: 1,
    factor: 15,
    startTime: '2026-03-01 00:00:00',
    endTime: '2026-03-01 01:00:00',
    thresholds: batchOf(quality),
  })
  return stations[0].alarms
}

const DOUBTING = SITE.replace(
  '\n  - id: 1\n    name: 长江大桥',
  '\n  - id: 1\n    alarms: { evaluateUncertain: false }\n    name: 长江大桥',
)

describe('the quality that a rule of a batch gives a value', () => {
  test('is bad: the value raises no alarm, in a back-test neither', async () => {
    await using own = await withService({ site: SITE })

    assert.equal(await openAfter(own, 'bad', [0, 0, 200]), 0)
    assert.deepEqual([await backTest(own, 'bad'), await backTest(own, 'uncertain')], [0, 1])
  })

  test('is uncertain: the value is evaluated', async () => {
    await using own = await withService({ site: SITE })

    assert.equal(await openAfter(own, 'uncertain', [0, 0, 200]), 1)
  })

  test('is uncertain: the value is not evaluated where the structure says so', async () => {
    assert.notEqual(DOUBTING, SITE)
    await using own = await withService({ site: DOUBTING })

    assert.equal(await openAfter(own, 'uncertain', [0, 0, 200]), 0)
    assert.equal(await backTest(own, 'uncertain'), 0)
  })

  test('is good: a value outside its measuring range reaches its threshold too', async () => {
    await using own = await withService({ site: SITE })

    assert.equal(await openAfter(own, 'uncertain', [900]), 2)
  })
})
