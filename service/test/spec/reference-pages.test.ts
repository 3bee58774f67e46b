import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPages } from '../../../scripts/docs/reference-pages.ts'
import {
  DATA_ALARMS,
  DEVICE_ALARMS,
  describeAlarmType,
  type AlarmType,
} from '../../src/domain/alarms/alarm-types.ts'
import { textOf } from './_pages.ts'

for (const { path, text } of await formatPages())
  test(`${path} is what the code says`, () => {
    assert.equal(textOf(path), text, 'run node scripts/run.js scripts/write-reference-pages.ts')
  })

const CATEGORIES = ['', 'data', 'DTU', 'sensor', 'gateway', 'node']
const SOURCES = ['DTU', 'sensor', 'station']

test('docs/alarm-types.md lists every alarm type by code, with its name, category and source', () => {
  const rows = Array.from(
    textOf('docs/alarm-types.md').matchAll(/^\| `(\d{4})` +\|([^|]*)\|([^|]*)\|([^|]*)\|/gm),
    (cells) => cells.slice(1).map((cell) => cell.trim()),
  )
  const types: AlarmType[] = [
    ...Object.values(DATA_ALARMS),
    ...Object.values(DEVICE_ALARMS).flatMap((causes) => Object.values(causes)),
  ]

  assert.deepEqual(
    rows,
    types
      .toSorted((a, b) => Number(a.code) - Number(b.code))
      .map(({ code, category, sourceType }) => [
        code,
        describeAlarmType(code),
        `${category} ${CATEGORIES[category]}`,
        SOURCES[sourceType],
      ]),
  )
})
