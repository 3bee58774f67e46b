import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backtest } from '../_backtest.ts'
import { IDS } from '../_site.ts'
import { type HttpResponse } from '../_service.ts'
import { shareService } from '../_suite.ts'

/** Node refuses headers, the request line among them, beyond 16 KiB. */
const LONGEST_IN_URL = 15_000
const LONG = 30_000

describe('texts that are hard to parse', () => {
  const suite = shareService()

  const query = (text: string, headers: Record<string, string> = {}) =>
    suite.service.call(`/api/v1/stations/theme/data?stations=1001&${text}`, { headers })

  /** A draft of thresholds, held against the past. */
  const draft = (value: string) =>
    backtest(suite.service, suite.token, [
      {
        item: 'strain',
        hysteresis: { value: 0.1 },
        config: [{ thresholds: [{ level: 1, value }] }],
      },
    ])

  const sendPoint = (value: string) =>
    suite.service.call('/ingest/v1/influx?precision=s', {
      method: 'POST',
      headers: { authorization: `Bearer ${suite.key}`, 'content-type': 'text/plain' },
      body: `m,sensor=${IDS.wire} temperature=${value} 1772362801`,
    })

  test('a hostile number in a query costs no more than a harmless one, before log-in', async () => {
    const hostile = `limit=${'0'.repeat(LONGEST_IN_URL)}x`

    await assertAsCheap(
      () => query(hostile),
      () => query(`limit=${'x'.repeat(LONGEST_IN_URL)}`),
    )

    const response = await query(hostile)
    assert.ok([400, 401].includes(response.status), response.text)
  })

  test('a hostile number in a point of line protocol costs no more than a harmless one', async () => {
    const hostile = `${'0'.repeat(LONG)}x`

    await assertAsCheap(
      () => sendPoint(hostile),
      () => sendPoint('x'.repeat(LONG)),
    )

    const [rejected] = (await sendPoint(hostile)).json().rejected
    assert.match(rejected.message, /^line 1: position \d+: expected a number/)
  })

  for (const [name, header] of [
    ['Authorization of many blanks', { authorization: `Bearer${' '.repeat(LONGEST_IN_URL)}x y` }],
    ['Authorization of basic blanks', { authorization: `Basic${' '.repeat(LONGEST_IN_URL)}=x` }],
    ['Authorization of padding', { authorization: `Basic ${'='.repeat(LONGEST_IN_URL)}x` }],
    ['Accept-Encoding of commas', { 'accept-encoding': ','.repeat(LONGEST_IN_URL) }],
    ['Accept-Encoding of parameters', { 'accept-encoding': `*${';q='.repeat(5_000)}` }],
  ] as const)
    test(`${name} costs no more than a header of the same length, before log-in`, async () => {
      await assertAsCheap(
        () => query('', header),
        () => query('', { 'x-filler': 'x'.repeat(LONGEST_IN_URL) }),
      )

      assert.equal((await query('', header)).status, 401)
    })

  test('a threshold of 16000 intervals is refused, and costs no more than a text as long', async () => {
    const pairs = Array.from({ length: 16_000 }, (_, at) => `(${2 * at},${2 * at + 1})`).join(';')

    await assertAsCheap(
      () => draft(pairs),
      () => draft('x'.repeat(pairs.length)),
    )

    const response = await draft(pairs)
    assert.equal(response.status, 400)
    assert.match(response.json().message, /has 16000 intervals, expected at most 1000/)
  })

  test('a query of thousands of parameters costs no more than one long one, before log-in', async () => {
    await assertAsCheap(
      () => query('limit=1&'.repeat(LONGEST_IN_URL / 8)),
      () => query(`limit=${'1'.repeat(LONGEST_IN_URL)}`),
    )

    assert.equal((await query('&='.repeat(LONGEST_IN_URL / 2))).status, 401)
  })
})

type Ask = () => Promise<HttpResponse>

const MOST_TIMES = 12
const ATTEMPTS = 3
/** Some kernels count processor time in ticks of 4 ms. */
const MEASURABLE_MICROSECONDS = 40_000

/** Asserts that one request costs at most a dozen times what another does; the patterns it guards against cost fifty. */
async function assertAsCheap(hostile: Ask, harmless: Ask): Promise<void> {
  let times = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && times > MOST_TIMES; attempt++)
    times = Math.min(times, await compareCosts(hostile, harmless))
  assert.ok(times <= MOST_TIMES, `it costs ${times.toFixed(0)} times as much`)
}

/** How many times the processor time of one request another takes; both are repeated in turns. */
async function compareCosts(hostile: Ask, harmless: Ask): Promise<number> {
  let ofHostile = 0
  let ofHarmless = 0
  do {
    ofHostile += await spend(hostile)
    ofHarmless += await spend(harmless)
  } while (ofHarmless < MEASURABLE_MICROSECONDS && ofHostile < MOST_TIMES * MEASURABLE_MICROSECONDS)
  return ofHostile / ofHarmless
}

/** Microseconds of processor time; the service runs in this process. */
async function spend(ask: Ask): Promise<number> {
  const start = process.threadCpuUsage()
  await ask()
  const { user, system } = process.threadCpuUsage(start)
  return user + system
}
