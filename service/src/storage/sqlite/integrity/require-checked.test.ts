import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireChecked } from './require-checked.ts'

const CHANGES = [
  'insert into theme_records (source, time, record) values (?, ?, ?) on conflict do nothing',
  'insert or replace into theme_records values (?, ?, ?)',
  'replace into theme_records values (?, ?, ?)',
  '  INSERT OR IGNORE INTO "theme_records" select 1, 2, 3',
  'update theme_records set record = ?',
  'update or ignore theme_records set record = ?',
  'delete from theme_records where source = ?',
  'with old as (select 1) delete from theme_records',
]

const OTHERS = [
  'select * from theme_records',
  'update theme_open_days set count = (select count(*) from theme_records)',
  'insert into change_records select * from theme_records',
  'delete from traffic_records where structure_id = ?',
  'delete from early_records',
]

test('a statement that only reads open records need not name them', () => {
  for (const sql of OTHERS)
    assert.doesNotThrow(() => requireChecked({ sql, width: 0, values: [] }), sql)
})

test('a statement that changes raw records names those', () => {
  const statement = { sql: 'delete from raw_records', width: 0, values: [] }

  assert.throws(() => requireChecked(statement), /changes raw_records/)
  requireChecked({ ...statement, checked: { kind: 'raw', as: 'spans' } })
})

test('a statement that changes open records names them, also as the second of two', () => {
  const checked = { kind: 'theme', as: 'spans' } as const
  for (const sql of CHANGES) {
    assert.throws(() => requireChecked({ sql, width: 0, values: [] }), /changes theme_records/)
    assert.throws(
      () => requireChecked({ sql: 'select 1', otherwise: [sql], width: 0, values: [] }),
      /changes theme_records/,
    )
    requireChecked({ sql, width: 0, values: [], checked })
    assert.throws(
      () => requireChecked({ sql, width: 0, values: [], checked: { ...checked, kind: 'raw' } }),
      /changes theme_records/,
    )
  }
})
