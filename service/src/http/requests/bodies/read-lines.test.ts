import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../../../test/_event-loop-turns.ts'
import { UnreadableRecord } from '../../../json/unreadable-record.ts'
import { JsonScan } from '../../../json/json-scan.ts'
import { readLines } from './read-lines.ts'

const LIMITS = { depth: 32, members: 1e6 }

test('other tasks run while lines are read, blank ones too', async () => {
  for (const line of ['', ' ', '{"a":1}']) {
    const bytes = new Uint8Array(Buffer.from(`${line}\n`.repeat(50_000)))
    const scan = new JsonScan(LIMITS)
    const turns = await countTurns(() => readLines(bytes, scan))

    assert.ok(turns > 40, `${turns} turns beside lines "${line}"`)
  }
})

test('other tasks run while one long line is scanned', async () => {
  const bytes = new Uint8Array(4 * 1024 * 1024).fill(0x61)
  const scan = new JsonScan(LIMITS)
  let records: unknown[] = []

  const turns = await countTurns(async () => ({ records } = await readLines(bytes, scan)))

  assert.ok(turns >= 15, `${turns} turns`)
  assert.deepEqual(
    records.map((record) => record instanceof UnreadableRecord && record.reason),
    ['the body has at most 262144 characters apart from its lists'],
  )
})
