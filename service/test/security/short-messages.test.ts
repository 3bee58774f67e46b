import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backtest } from '../_backtest.ts'
import { shareService } from '../_suite.ts'

const LONG = 'x'.repeat(200_000)

type Slot = { startTime?: string; endTime?: string; thresholds: object[] }

const slot = (value: string): Slot => ({ thresholds: [{ level: 1, value }] })

describe('the message of an error', () => {
  const suite = shareService()

  /** Why a draft of thresholds is refused. */
  const refusalOf = async (items: object[]): Promise<string> => {
    const response = await backtest(suite.service, suite.token, items)
    assert.equal(response.status, 400)
    return response.json().message as string
  }

  test('quotes the beginning of a threshold, a clock time or an item', async () => {
    const pair = `(${'1'.repeat(100_000)},5)`
    for (const [name, items, expected] of [
      ['no pair', [{ item: 'strain', config: [slot(LONG)] }], /the pair x{60}… at character 1 is/],
      ['an end', [{ item: 'strain', config: [slot(`(${LONG},5)`)] }], /the low end "x{59}…, exp/],
      ['an overlap', [{ item: 'strain', config: [slot(`${pair};${pair}`)] }], /the pair \(1{59}…/],
      [
        'a clock time',
        [
          {
            item: 'strain',
            timeDivision: true,
            config: [{ ...slot('(5,9)'), startTime: LONG, endTime: '22:00:00' }],
          },
        ],
        /startTime: expected .*, found "x{60}…/,
      ],
      ['a member', [{ item: 'strain', config: [], [LONG]: 1 }], /items\[0\]\.x{64}…: there is no/],
      [
        'an item',
        [{ item: LONG, config: [slot('(5,9)')] }],
        /item: expected a key .*, found "x{60}…"/,
      ],
    ] as const) {
      const message = await refusalOf([...items])

      assert.match(message, expected, name)
      assert.ok(message.length < 600, `${name}: ${message.length} characters`)
    }
  })

  test('is at most 4,000 characters long for any number of errors', async () => {
    const items = Array.from({ length: 2_000 }, (_, at) => ({
      item: 'strain',
      [`${at}${LONG.slice(0, 70)}`]: 1,
    }))

    const message = await refusalOf(items)

    assert.match(message, /there is no such key/)
    assert.ok(message.length < 4_200, `${message.length} characters`)
  })

  test('quotes the beginning of a query parameter', async () => {
    const long = LONG.slice(0, 10_000)
    for (const query of [
      `format=${long}`,
      `format=csv&timeColumn=${long}`,
      `format=csv&sampleFreq=${long}`,
      `station=${long}&collectTime=${long}&sampleFreq=1&unit=${long}`,
    ]) {
      const response = await suite.service.call(`/ingest/v1/vibration?${query}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${suite.key}`,
          'content-type': 'application/octet-stream',
        },
        body: Buffer.from('a,b\n1,2\n'),
      })

      assert.ok(response.status >= 400)
      assert.ok(
        response.text.length < 600,
        `${query.slice(0, 20)}: ${response.text.length} characters`,
      )
    }
  })
})
