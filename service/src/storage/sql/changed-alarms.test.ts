import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../../test/_event-loop-turns.ts'
import type { AlarmChange } from '../stores/alarms.ts'
import { dialect } from '../sqlite/dialect.ts'
import { alarmStatements } from './alarm-writes.ts'

const AT = new Map([['7', { version: 1, writer: 1 }]])
const WRITES = { at: AT, bounds: [], writer: 1, now: 1 }

/** A source that exceeds its threshold with every other record. */
const flutter = (count: number): AlarmChange[] =>
  Array.from({ length: count }, (_, at): AlarmChange => {
    const isNew = at % 2 === 0
    const state = isNew ? 0 : 3
    const time = '2026-01-01 00:00:00'
    return {
      alarm: {
        structure: 1,
        source: { id: '7', name: 'S7' },
        sourceType: 2,
        category: 1,
        alarmTypeCode: '3007',
        level: 2,
        content: 'v: 60mm',
        count: 1,
        state,
        startTime: time,
        endTime: time,
      },
      state: {
        stateCode: state,
        level: 2,
        content: 'v: 60mm',
        count: 1,
        startTime: at,
        endTime: at,
        items: ['v'],
        violationAt: at,
        normalAt: null,
        normalCount: 0,
      },
      isNew,
      detail: {
        sponsor: 'plumbline',
        alarmCode: '30070002',
        alarmState: state,
        currentLevel: 2,
        content: 'v: 60mm',
        time,
      },
      isLate: false,
    }
  })

test('a write of many changes has as many statements as one of a few', async () => {
  const few = await alarmStatements({ ...WRITES, changes: flutter(2) }, dialect)
  const many = await alarmStatements({ ...WRITES, changes: flutter(4_000) }, dialect)

  assert.deepEqual(
    many.map(({ sql }) => sql),
    few.map(({ sql }) => sql),
  )
})

test('each alarm is written once, and the state of a source once', async () => {
  const statements = await alarmStatements({ ...WRITES, changes: flutter(100) }, dialect)
  const rowsOf = (table: string) =>
    statements.flatMap(({ sql, rows }) =>
      sql.includes(`into ${table}`) || sql.startsWith(`update ${table}`) ? rows!.count : [],
    )

  assert.deepEqual(rowsOf('alarms'), [50])
  assert.deepEqual(rowsOf('alarm_details'), [100])
  assert.deepEqual(rowsOf('outbox'), [100])
  assert.deepEqual(rowsOf('alarm_states'), [1])
})

test('a change of a source raises the version of that source, once in a write', async () => {
  const at = new Map([...AT, ['8', { version: 5, writer: 1 }]])

  const statements = await alarmStatements({ ...WRITES, at, changes: flutter(100) }, dialect)
  const raised = statements.filter(({ sql }) => sql.includes('alarm_versions'))

  assert.deepEqual(
    raised.map(({ values }) => values),
    [['7', 2, 1]],
  )
})

test('a change of a source whose version is not known is an error', () => {
  const changes = flutter(1)

  assert.throws(() => alarmStatements({ ...WRITES, at: new Map(), changes }, dialect), {
    message: 'alarms of 7 are changed without the version of its states',
  })
})

test('the event loop runs while very many changes are gathered', async () => {
  const changes = flutter(100_000)

  const turns = await countTurns(async () => alarmStatements({ ...WRITES, changes }, dialect))

  assert.ok(turns > 0)
})
