import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ThresholdLevel, ThresholdSlot } from '../site/site-entry.ts'
import { checkThresholdConfig, slotTime } from './threshold.ts'

const LEVELS: ThresholdLevel[] = [{ level: 1, value: '(70,+)' }]

function slot(startTime: string | null, endTime: string | null): ThresholdSlot {
  return { startTime, endTime, thresholds: LEVELS }
}

function allDay(...thresholds: ThresholdLevel[]): ThresholdSlot[] {
  return [{ startTime: null, endTime: null, thresholds }]
}

const pairs = (count: number): string =>
  Array.from({ length: count }, (_, at) => `(${2 * at},${2 * at + 1})`).join(';')

function refusal(slots: ThresholdSlot[], timeDivision: boolean): string {
  try {
    checkThresholdConfig(slots, timeDivision)
  } catch (error) {
    if (error instanceof RefusedError && error.reason === 'invalid') return error.message
    throw error
  }
  return 'accepted'
}

function note(from: string, to: string): string {
  return `no slot has a threshold from ${from} to ${to}`
}

function clock(minute: number): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60]
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

describe('a threshold configuration', () => {
  test('is given back with canonical interval texts, in the order written', () => {
    const slots = allDay(
      { level: 3, value: ' (5, 10); (-10, -5)' },
      { level: 1, value: '（20，∞）；（-inf，-20）' },
    )

    assert.deepEqual(checkThresholdConfig(slots, false), {
      slots: allDay({ level: 3, value: '(-10,-5);(5,10)' }, { level: 1, value: '(-,-20);(20,+)' }),
      notes: [],
    })
  })

  test('is given back with canonical clock times', () => {
    const { slots, notes } = checkThresholdConfig(
      [slot('22:00', '06:00:30'), slot('06:00:30', '22:00:00')],
      true,
    )

    assert.deepEqual(slots, [slot('22:00:00', '06:00:30'), slot('06:00:30', '22:00:00')])
    assert.deepEqual(notes, [])
  })

  test('is refused with a sentence that begins with its place', () => {
    const sentences: [string, ThresholdSlot[], boolean][] = [
      [
        'config[0].thresholds[1].value: the pair (10,5) at character 1: the lower bound is greater than the upper bound',
        allDay({ level: 1, value: '(1,2)' }, { level: 2, value: '(10,5)' }),
        false,
      ],
      [
        'config[0].thresholds[0].value: the pair (1,5) at character 1 and the pair (4,6) at character 7 overlap',
        allDay({ level: 1, value: '(1,5);(4,6)' }),
        false,
      ],
      [
        'config[0].thresholds[1]: has level 1 again, expected its pairs joined by ; in one text',
        allDay({ level: 1, value: '(1,2)' }, { level: 1, value: '(3,4)' }),
        false,
      ],
      [
        'config[0]: has a clock time, expected startTime and endTime null without time division',
        [slot('06:00:00', null)],
        false,
      ],
      [
        'config[0]: has a clock time, expected startTime and endTime null without time division',
        [slot(null, '06:00:00')],
        false,
      ],
      [
        'config[1]: is a second slot, expected one for the whole day without time division',
        [slot(null, null), slot(null, null)],
        false,
      ],
      [
        'config[0].startTime: is null, expected a clock time such as "22:00:00"',
        [slot(null, null)],
        true,
      ],
      [
        'config[1].endTime: is "24:00:00", expected a clock time such as "22:00:00"',
        [slot('06:00', '07:00'), slot('08:00', '24:00:00')],
        true,
      ],
      [
        'config[0]: starts and ends at 06:00:00, expected two different times',
        [slot('06:00', '06:00:00')],
        true,
      ],
      [
        'config[1]: overlaps config[0] at 21:59:59',
        [slot('06:00', '22:00'), slot('21:59:59', '23:00')],
        true,
      ],
      [
        'config[1]: overlaps config[0] at 21:59:59',
        [slot('21:59:59', '23:00'), slot('06:00', '22:00')],
        true,
      ],
      [
        'config[1]: overlaps config[0] at 05:00:00',
        [slot('22:00', '06:00'), slot('05:00', '07:00')],
        true,
      ],
    ]
    for (const [sentence, slots, timeDivision] of sentences) {
      assert.equal(refusal(slots, timeDivision), sentence)
    }
  })

  test('is refused with more than 1000 intervals in a text, or more than 1440 slots', () => {
    assert.equal(refusal(allDay({ level: 1, value: pairs(1000) }), false), 'accepted')
    assert.equal(
      refusal(allDay({ level: 1, value: pairs(1001) }), false),
      'config[0].thresholds[0].value: has 1001 intervals, expected at most 1000',
    )
    assert.equal(
      refusal(
        Array.from({ length: 1441 }, () => slot('08:00', '09:00')),
        true,
      ),
      'config[1440]: is one slot too many, expected at most 1440',
    )
  })

  test('is refused with a clock time in any other form', () => {
    for (const time of ['', '6:00', '06', '06:60', '06:00:60', '06:00:00 ', '0600', '06.00']) {
      assert.match(refusal([slot(time, '23:00')], true), /^config\[0\]\.startTime: is /, time)
    }
  })

  test('has a note on the clock times without a threshold', () => {
    const tables: [ThresholdSlot[], string[]][] = [
      [[], [note('00:00:00', '24:00:00')]],
      [[slot('08:00', '20:00')], [note('20:00:00', '08:00:00')]],
      [[slot('20:00', '08:00')], [note('08:00:00', '20:00:00')]],
      [[slot('00:00', '12:00')], [note('12:00:00', '24:00:00')]],
      [[slot('12:00', '00:00')], [note('00:00:00', '12:00:00')]],
      [[slot('12:00', '00:00'), slot('00:00', '12:00')], []],
      [[slot('00:00', '12:00'), slot('12:00', '00:00')], []],
      [
        [slot('10:00', '11:00'), slot('08:00', '09:00')],
        [note('09:00:00', '10:00:00'), note('11:00:00', '08:00:00')],
      ],
    ]
    for (const [slots, notes] of tables) {
      assert.deepEqual(checkThresholdConfig(slots, true).notes, notes)
    }
  })

  test('without any slot has a note', () => {
    assert.deepEqual(checkThresholdConfig([], false).notes, ['no slot has a threshold'])
  })

  test('is accepted exactly when no minute of the day lies in two slots', () => {
    const minute = fc.integer({ min: 0, max: 1439 })
    const times = fc.tuple(minute, minute).filter(([start, end]) => start !== end)
    const property = fc.property(fc.array(times, { maxLength: 4 }), (table) => {
      const counts = Array.from({ length: 1440 }, (_, at) => {
        const within = table.filter(([start, end]) =>
          start < end ? at >= start && at < end : at >= start || at < end,
        )
        return within.length
      })

      const slots = table.map(([start, end]) => slot(clock(start), clock(end)))

      const isFree = counts.every((count) => count <= 1)
      assert.equal(refusal(slots, true) === 'accepted', isFree)
      if (!isFree) return
      const hasGap = counts.includes(0)
      assert.equal(checkThresholdConfig(slots, true).notes.length > 0, hasGap)
    })
    fc.assert(property, { numRuns: runs(500) })
  })
})

describe('the time of a slot', () => {
  test('is served as a time of the day 2000-01-01', () => {
    assert.equal(slotTime('22:00:00'), '2000-01-01 22:00:00')
    assert.equal(slotTime(null), null)
  })
})
