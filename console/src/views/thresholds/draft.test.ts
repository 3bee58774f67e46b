import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newForm, newRule, toDraft, toForm, type Draft } from './draft.ts'
import { findProblems, intervalsProblem } from './problems.ts'

const WHOLE: Draft = {
  stations: [1001, 1002],
  needsPerson: true,
  enabled: false,
  raiseAfter: { records: 3, of: 5 },
  clearAfter: 2,
  clearAfterMinutes: 30,
  items: [
    {
      item: 'strain',
      timeDivision: true,
      config: [
        {
          startTime: '22:00:00',
          endTime: '06:00:00',
          thresholds: [{ level: 1, value: '(-,-300);(300,+)' }],
        },
      ],
      hysteresis: { percent: 5 },
      rates: [
        { per: 'hour', levels: [{ level: 2, limit: 1.5 }], clause: 'GB 50497-2019, 8.0.4' },
        { per: 'day', days: 3, direction: 'rising', levels: [{ level: 1, limit: 4 }] },
      ],
      range: { low: -500, high: 500, level: 3, quality: 'uncertain' },
      spike: { deviation: 20, records: 7 },
      frozen: { hours: 24, level: 4, unconfirmed: true },
      design: { value: 1200, isSymmetric: false, levels: [{ level: 1, percent: 90 }] },
    },
    { item: 'force', config: [{ thresholds: [{ level: 1, value: '(5,+)' }] }] },
  ],
}

test('a batch is kept whole by the form, with what the form does not show', () => {
  assert.deepEqual(toDraft(toForm(WHOLE)), WHOLE)
})

test('a whole batch has no problem', () => {
  assert.deepEqual(findProblems(toForm(WHOLE)), {})
})

test('what is wrong is said at its place', () => {
  const form = newForm('strain')
  form.items[0]!.slots[0]!.levels = [
    { level: '1', value: '(5,' },
    { level: '1', value: '' },
    { level: 'a', value: '(9,5)' },
  ]
  form.items[0]!.rules = [newRule('frozen')]
  form.settings.records = 'many'

  assert.deepEqual(findProblems(form), {
    stations: 'noStation',
    'settings.records': 'noNumber',
    'items.0.slots.0.levels.0.value': 'noIntervals',
    'items.0.slots.0.levels.1.level': 'levelTwice',
    'items.0.slots.0.levels.1.value': 'empty',
    'items.0.slots.0.levels.2.level': 'noLevel',
    'items.0.slots.0.levels.2.value': 'endsSwapped',
    'items.0.rules.0.hours': 'empty',
    'items.0.rules.0.level': 'empty',
  })
})

test('intervals may have the punctuation of a Chinese keyboard', () => {
  assert.equal(intervalsProblem('（－，－300）；（300，＋）'), undefined)
  assert.equal(intervalsProblem('(-,+)'), undefined)
  assert.equal(intervalsProblem('300'), 'noIntervals')
})
