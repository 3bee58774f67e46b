import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ThresholdBatchEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from './check-site.ts'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { YamlFileError, type FileProblem } from '../../yaml/yaml-file-error.ts'

/** A site with one item; the text has its rules in flow style. */
const siteWith = (item: string, { batch = '', alarms = '' } = {}): string => `timeZone: UTC
structureTypes: [{ id: 1, name: Any }]
factors:
  - id: 1
    name: F
    timeDivision: true
    items: [{ id: 1, key: x, name: X, precision: 0.1 }]
structures:
  - id: 1
    name: S
    type: 1
    latitude: 0
    longitude: 0
    ${alarms}
    factors:
      - factor: 1
        stations: [{ id: 1, name: A }]
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [1]
            ${batch}
            items:
              - { item: x${item === '' ? '' : `, ${item.replaceAll(/\s*\n\s*/g, ' ')}`} }
`

const CONFIG = "config: [{ thresholds: [{ level: 1, value: '(-,-5);(5,+)' }] }]"
const ITEM = 'structures[0].factors[0].thresholds[0].items[0]'

const short = ({ path, message }: FileProblem) => `${path.replace(ITEM, 'item')}: ${message}`

/** The problems of a rule with their places, or its notes. */
function problemsOf(item: string, options?: Parameters<typeof siteWith>[1]): string[] {
  try {
    return checkSite(readSiteFile(siteWith(item, options), 's.yaml'), []).map(short)
  } catch (error) {
    if (!(error instanceof YamlFileError)) throw error
    return error.problems.map(short)
  }
}

const slot = (start: string, end: string) =>
  `{ startTime: '${start}', endTime: '${end}', thresholds: [{ level: 1, value: '(5,+)' }] }`

describe('the rules of an item are refused', () => {
  const WRONG: [name: string, item: string, problem: string][] = [
    [
      'without any',
      '',
      'item: sets nothing: expected config, rates, range, spike, frozen or design',
    ],
    [
      'with an empty list of rates alone',
      'rates: []',
      'item: sets nothing: expected config, rates, range, spike, frozen or design',
    ],
    [
      'with a hysteresis of both kinds',
      `${CONFIG}, hysteresis: { value: 1, percent: 1 }`,
      'item.hysteresis: expected either value or percent',
    ],
    [
      'with an empty hysteresis',
      `${CONFIG}, hysteresis: {}`,
      'item.hysteresis: expected either value or percent',
    ],
    [
      'with a hysteresis and no thresholds',
      'range: { low: 0, level: 1 }, hysteresis: { value: 1 }',
      'item.hysteresis: has no effect without thresholds in config',
    ],
    [
      'with a hysteresis that fills the normal band',
      `${CONFIG}, hysteresis: { value: 5.1 }`,
      'item.hysteresis: leaves no normal values from -5 to 5: an alarm would never be cleared there',
    ],
    [
      'with a percentage that fills the normal band',
      `${CONFIG}, hysteresis: { percent: 51 }`,
      'item.hysteresis: leaves no normal values from -5 to 5: an alarm would never be cleared there',
    ],
    [
      'with hours in a row',
      'rates: [{ per: hour, days: 3, levels: [{ level: 1, limit: 1 }] }]',
      'item.rates[0].days: days in a row need per: day',
    ],
    [
      'with a gap between days in a row',
      'rates: [{ per: day, days: 3, longestGap: 5, levels: [{ level: 1, limit: 1 }] }]',
      'item.rates[0].longestGap: days in a row allow no gap',
    ],
    [
      'with a level that stands twice',
      'rates: [{ per: day, levels: [{ level: 1, limit: 1 }, { level: 1, limit: 2 }] }]',
      'item.rates[0].levels[1]: has level 1 again, expected one limit for each level',
    ],
    [
      'with more limits than there are levels',
      `rates: [{ per: day, levels: [${Array.from({ length: 100 }, (_, at) => `{ level: ${(at % 99) + 1}, limit: 1 }`).join(', ')}] }]`,
      'item.rates[0].levels: has 100 limits, expected at most 99',
    ],
    [
      'with days in a row over some minutes',
      'rates: [{ per: day, days: 3, overMinutes: 5, levels: [{ level: 1, limit: 1 }] }]',
      'item.rates[0].overMinutes: days in a row compare the last values of local days',
    ],
    [
      'with a rate over some minutes and between records',
      'rates: [{ per: day, overMinutes: 5, consecutive: true, levels: [{ level: 1, limit: 1 }] }]',
      'item.rates[0].consecutive: expected either overMinutes or consecutive',
    ],
    [
      'with a gap that is not longer than the time of the change',
      'rates: [{ per: hour, overMinutes: 120, longestGap: 2, levels: [{ level: 1, limit: 1 }] }]',
      'item.rates[0].longestGap: expected a longest gap above the 120 minutes over which the change is measured, found 120 minutes',
    ],
    [
      'with a time of the change beyond the longest gap',
      'rates: [{ per: hour, overMinutes: 900, levels: [{ level: 1, limit: 1 }] }]',
      'item.rates[0].overMinutes: expected a longest gap above the 900 minutes over which the change is measured, found 600 minutes',
    ],
    ['with a range without ends', 'range: { level: 1 }', 'item.range: expected low, high or both'],
    [
      'with a range whose ends are swapped',
      'range: { low: 5, high: 5, level: 1 }',
      'item.range: has its low end 5 not below its high end 5',
    ],
    [
      'with an even number of values of a spike',
      'spike: { deviation: 1, records: 4 }',
      'item.spike.records: expected one of 3, 5, 7, 9, 11, 13, 15, found 4',
    ],
    [
      'with a spike that deviates by nothing',
      'spike: { deviation: 0 }',
      'item.spike.deviation: expected a number above 0, found 0',
    ],
    [
      'with a spike that says nothing',
      'spike: { deviation: 1, quality: good }',
      'item.spike.quality: expected one of bad, uncertain, found "good"',
    ],
    [
      'with a quality that there is not',
      'range: { low: 1, level: 1, quality: poor }',
      'item.range.quality: expected one of bad, uncertain, good, found "poor"',
    ],
    [
      'with a design value of 0',
      'design: { value: 0, levels: [{ level: 1, percent: 90 }] }',
      'item.design.value: is 0, expected a number other than 0',
    ],
    [
      'with a limit of 0',
      'rates: [{ per: day, levels: [{ level: 1, limit: 0 }] }]',
      'item.rates[0].levels[0].limit: expected a number above 0, found 0',
    ],
  ]

  for (const [name, item, problem] of WRONG) {
    test(name, () => {
      assert.deepEqual(problemsOf(item), [problem])
    })
  }

  test('with an on-delay that is neither a number of records nor a time', () => {
    const raiseAfter = 'structures[0].factors[0].thresholds[0].raiseAfter'
    const neither = `${raiseAfter}: expected either records, with or without of, or minutes`
    const problems = [
      '{}',
      '{ of: 3 }',
      '{ records: 2, minutes: 5 }',
      '{ minutes: 5, of: 3 }',
      '{ records: 3, of: 2 }',
      '{ records: 1 }',
    ].map((one) => problemsOf(CONFIG, { batch: `raiseAfter: ${one}` }))

    assert.deepEqual(problems, [
      [neither],
      [neither],
      [neither],
      [neither],
      [`${raiseAfter}.of: is 2, expected at least the 3 of records`],
      [`${raiseAfter}.records: expected a whole number from 2 to 100, found 1`],
    ])
  })

  test('with slots that overlap', () => {
    assert.deepEqual(
      problemsOf(
        `timeDivision: true, config: [${slot('22:00', '06:00')}, ${slot('05:00', '22:00')}]`,
      ),
      ['item.config[1]: overlaps config[0] at 05:00:00'],
    )
  })
})

describe('a note is made', () => {
  test('of a level that is never reached, by the severity of the structure', () => {
    const rates = 'rates: [{ per: day, levels: [{ level: 1, limit: 1 }, { level: 2, limit: 2 }] }]'
    const note =
      'item.rates[0].levels[1]: level 2 is never reached, since level 1 begins at 1 already'

    assert.deepEqual(problemsOf(rates), [note])
    assert.deepEqual(problemsOf(rates, { alarms: 'alarms: { severity: highestFirst }' }), [])
  })

  test('of a level that lies outside the measuring range', () => {
    const config =
      "config: [{ thresholds: [{ level: 1, value: '(-,-50);(20,+)' }, { level: 2, value: '(-90,-60);(21,30)' }] }]"

    assert.deepEqual(problemsOf(`${config}, range: { low: -50, high: 20, level: 3 }`), [
      'item.config[0].thresholds[1]: level 2 is never reached, since values outside the range violate only the range',
    ])
    assert.deepEqual(problemsOf(`${config}, range: { low: -60, level: 3 }`), [])
    assert.deepEqual(problemsOf(`${config}, range: { high: 20, level: 3, quality: good }`), [])
  })

  test('of numbers that are not confirmed, at their place', () => {
    const item = `
      config: [{ thresholds: [{ level: 1, value: '(5,+)' }], unconfirmed: true }],
      frozen: { hours: 1, level: 1, unconfirmed: true, clause: none },
      spike: { deviation: 1, unconfirmed: true },
      range: { low: 1, level: 1, unconfirmed: false }`

    assert.deepEqual(problemsOf(item), [
      'item.config[0]: its numbers are marked as not confirmed',
      'item.spike: its numbers are marked as not confirmed',
      'item.frozen: its numbers are marked as not confirmed',
    ])
  })

  test('of nothing, where rules stand without thresholds', () => {
    assert.deepEqual(problemsOf('frozen: { hours: 1, level: 1 }'), [])
    assert.deepEqual(problemsOf('spike: { deviation: 1 }'), [])
  })
})

const flat = (item: string, options?: Parameters<typeof siteWith>[1]) =>
  flatten(readSiteFile(siteWith(item, options), 's.yaml'))
const batchOf = (...args: Parameters<typeof flat>) =>
  flat(...args).find((entry): entry is ThresholdBatchEntry => entry.kind === 'thresholdBatch')
const alarmsOf = (alarms: string) =>
  flat(CONFIG, { alarms }).find((entry) => entry.kind === 'structure')

const delayOf = (raiseAfter: string) =>
  batchOf(CONFIG, { batch: `raiseAfter: ${raiseAfter}` })?.raiseAfter

describe('flattened', () => {
  test('rules have their defaults, and no clause', () => {
    const batch = batchOf(
      `hysteresis: { percent: 2 },
       rates: [{ per: hour, levels: [{ level: 1, limit: 2 }], clause: c },
               { per: day, days: 3, levels: [{ level: 1, limit: 2 }] }],
       range: { high: 5, level: 2, unconfirmed: true },
       spike: { deviation: 4, clause: c },
       frozen: { hours: 3, level: 3, quality: bad },
       design: { value: 7, levels: [{ level: 1, percent: 80 }] }`,
      {
        batch: [
          'enabled: false',
          'clearAfter: 4',
          'clearAfterMinutes: 30',
          'needsPerson: true',
        ].join('\n            '),
      },
    )

    const { enabled, clearAfter, clearAfterMinutes, needsPerson } = batch ?? {}
    assert.deepEqual([enabled, clearAfter, clearAfterMinutes, needsPerson], [false, 4, 30, true])
    assert.deepEqual(batch?.items, [
      {
        item: 'x',
        timeDivision: false,
        config: [],
        hysteresis: { percent: 2 },
        rates: [
          { per: 'hour', longestGap: 10, levels: [{ level: 1, limit: 2 }] },
          { per: 'day', days: 3, longestGap: 10, levels: [{ level: 1, limit: 2 }] },
        ],
        range: { high: 5, level: 2 },
        spike: { deviation: 4, records: 5 },
        frozen: { hours: 3, epsilon: 0, records: 5, level: 3, quality: 'bad' },
        design: { value: 7, isSymmetric: true, levels: [{ level: 1, percent: 80 }] },
      },
    ])
  })

  test('a batch that names no off-delay is stored with the default', () => {
    assert.deepEqual(batchOf(CONFIG), {
      kind: 'thresholdBatch',
      id: '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11',
      structure: 1,
      factor: 1,
      stations: [1],
      clearAfter: 3,
      clearAfterMinutes: 60,
      items: [
        {
          item: 'x',
          timeDivision: false,
          config: [
            {
              startTime: null,
              endTime: null,
              thresholds: [{ level: 1, value: '(-,-5);(5,+)' }],
            },
          ],
        },
      ],
    })
  })

  test('an on-delay of records is one of as many records unless it says of how many', () => {
    assert.deepEqual(delayOf('{ records: 3 }'), { records: 3, of: 3 })
    assert.deepEqual(delayOf('{ records: 3, of: 5 }'), { records: 3, of: 5 })
    assert.deepEqual(delayOf('{ minutes: 10 }'), { minutes: 10 })
  })

  test('a batch that names one part of the off-delay has that part alone', () => {
    const [count, time] = ['clearAfter: 2', 'clearAfterMinutes: 180'].map((batch) =>
      batchOf(CONFIG, { batch }),
    )

    assert.deepEqual([count?.clearAfter, count?.clearAfterMinutes], [2, undefined])
    assert.deepEqual([time?.clearAfter, time?.clearAfterMinutes], [undefined, 180])
  })

  test('a structure keeps what it says of its alarms, and only that', () => {
    assert.deepEqual(alarmsOf('alarms: { offlineAfter: 2 }')?.alarms, { offlineAfter: 2 })
    assert.deepEqual(alarmsOf('alarms: { evaluateUncertain: false }')?.alarms, {
      evaluateUncertain: false,
    })
    assert.ok(!('alarms' in alarmsOf('')!))
  })
})
