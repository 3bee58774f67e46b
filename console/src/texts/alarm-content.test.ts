import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  describeReturnToNormal,
  describeViolations,
} from '../../../service/src/domain/alarms/alarm-content.ts'
import { compileItemRules } from '../../../service/src/domain/alarms/item-rules.ts'
import { compileLimitLine } from '../../../service/src/domain/alarms/limit-line.ts'
import { evaluateDevices } from '../../../service/src/domain/alarms/offline-detection.ts'
import { readableContent as readableOfService } from '../../../service/src/domain/alarms/readable-content.ts'
import { hourly, run } from '../../../service/src/domain/alarms/rules/_run.ts'
import { alarmContentInChinese, readableContent } from './alarm-content.ts'

const ITEMS = [{ key: 'v', name: '应变', unit: 'µm/m' }]
const UNIT = ITEMS[0]!.unit

/** What each rule writes of values that come one an hour, as soon as it is reached. */
function limitsOf(values: readonly number[]): string[] {
  const line = compileLimitLine(
    [
      {
        startTime: null,
        endTime: null,
        hysteresis: undefined,
        thresholds: [{ level: 2, value: '(-,-5);[20,+)' }],
      },
    ],
    'lowestFirst',
  )
  const levels = [{ level: 2, limit: 3 }]
  const rules = compileItemRules(
    {
      item: 'v',
      timeDivision: false,
      config: [],
      range: { low: -8, level: 1 },
      frozen: { hours: 2.5, epsilon: 0, records: 3, level: 3 },
      rates: [
        { per: 'hour', longestGap: 4, levels },
        { per: 'hour', longestGap: 4, levels, consecutive: true, direction: 'rising' },
        { per: 'day', longestGap: 4, levels, overMinutes: 60, direction: 'falling' },
        { per: 'day', longestGap: 4, levels, days: 2 },
      ],
      design: { value: 10, isSymmetric: true, levels: [{ level: 2, percent: 80 }] },
    },
    0,
    UNIT,
    'lowestFirst',
  )
  const outcomes = rules.flatMap(({ rule }) => run(rule, hourly(...values)).outcomes)
  const reached = values.map((value) => line.outcomeOf(value)).filter((one) => one !== undefined)
  return [...outcomes, ...reached].flatMap((one) =>
    typeof one === 'object' && one !== null ? [one.limit] : [],
  )
}

const numbersOf = (text: string): string[] => (text.match(/\d+/g) ?? []).toSorted()

const normal = (value: number | null): string =>
  alarmContentInChinese(describeReturnToNormal(['v'], ITEMS, [value] as never))

const device = (id: string, parent: string | null) =>
  ({ id, name: id, deviceKind: 'sensor', parent, intervalSeconds: 600 }) as const

const tilt = (unit: string): string =>
  `Tilt: -1.5${unit}, level 2 rate +2e-7${unit}/h, limit 3${unit}/h`

/** Words of English; units and numbers have none as long. */
const ENGLISH = /[A-Za-z]{4,}/

const VALUES = Array.from({ length: 60 }, (_, at) => (at < 5 ? 9 : at % 2 === 0 ? at : -at))

test('what the rules write of a violation is said in Chinese, by any of them', () => {
  const limits = [...new Set(limitsOf(VALUES).map((limit) => limit.replaceAll(/-?\d[\d.]*/g, '0')))]
  assert.ok(limits.length >= 7, limits.join('\n'))

  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...limitsOf(VALUES)), fc.integer({ min: 1, max: 5 })), {
        minLength: 1,
        maxLength: 30,
      }),
      fc.option(fc.double({ noNaN: true }), { nil: null }),
      (violations, value) => {
        const reached = violations.map(([limit, level]) => ({ item: 'v', level, limit }))
        const content = describeViolations(reached as never, ITEMS, [value] as never)

        const said = alarmContentInChinese(content)

        assert.doesNotMatch(said, ENGLISH, content)
        assert.deepEqual(numbersOf(said), numbersOf(content))
      },
    ),
  )
})

test('values that are normal again are said in Chinese', () => {
  assert.equal(normal(3.5), '恢复正常：应变: 3.5 µm/m')
  assert.equal(normal(null), '恢复正常：应变: 无数值')
})

test('what is written of devices is said in Chinese', () => {
  const devices = [device('a', null), device('b', 'a'), device('c', null)]
  const contents = [3_600_000, 90_000_000, 900_000_000].flatMap((now) =>
    [true, false].flatMap((isOpen) =>
      [null, '', '电池 low'].flatMap((error) =>
        evaluateDevices(
          devices,
          (id) => ({
            goodAt: isOpen ? now - 1 : 0,
            errorAt: id === 'c' && !isOpen ? 1 : null,
            error,
          }),
          () => isOpen,
          now,
          { offlineAfter: 3, listeningSince: 0 },
        ).map(({ content }) => content),
      ),
    ),
  )

  const said = new Map(contents.map((content) => [content, alarmContentInChinese(content)]))

  for (const [content, chinese] of said) assert.notEqual(chinese, content)
  assert.equal(
    said.get('silent for 60 min, expected every 10 min; 1 device below it'),
    '已静默 60 min，应每 10 min 上报一次；其下有 1 台设备',
  )
  assert.equal(said.get('reports an error: 电池 low'), '报告错误：电池 low')
  assert.equal(said.get('in contact again'), '已恢复联系')
})

test('names with the marks of a sentence, and what a person wrote, stay as they are', () => {
  assert.equal(
    alarmContentInChinese(
      'A; B, level 1: 3mm, level 2 threshold (2,+); C: 4, level 1 out of range [-,3]',
    ),
    'A; B, level 1: 3 mm，2 级：阈值 (2,+)；C: 4，1 级：超出量程 [-,3]',
  )
  assert.equal(
    alarmContentInChinese('V: 3, level 2 rate 5mm/h, limit 3mm/h; and 12 more'),
    'V: 3，2 级：变化速率 5 mm/h，限值 3 mm/h；另有 12 项',
  )
  for (const text of ['', 'Crane at work, values are right.', '吊车作业'])
    assert.equal(alarmContentInChinese(text), text)
})

test('levels of any number are said in Chinese', () => {
  for (const level of [1, 9, 10, 99])
    assert.equal(
      alarmContentInChinese(`V: 3mm, level ${level} threshold (2,+)`),
      `V: 3 mm，${level} 级：阈值 (2,+)`,
    )
})

test('numbers and units stand apart as the service writes them in notifications', () => {
  assert.equal(readableContent(tilt('mm')), 'Tilt: -1.5 mm, level 2 rate +2e-7 mm/h, limit 3 mm/h')
  for (const unit of ['mm', 'µm/m', 'kN', '%', '‰', '°', '°C', '°F', 'm/s²', 'με', ''])
    assert.equal(readableContent(tilt(unit)), readableOfService(tilt(unit), [unit]))
})
