import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../../test/_turns.ts'
import { JsonScan } from './json-scan.ts'
import { readLines } from './read-lines.ts'

test('others have their turn while lines are read, blank ones too', async () => {
  for (const line of ['', ' ', '{"a":1}']) {
    const bytes = new Uint8Array(Buffer.from(`${line}\n`.repeat(50_000)))
    const scan = new JsonScan({ depth: 32, members: 1e6 })
    const turns = await countTurns(() => readLines(bytes, scan))

    assert.ok(turns > 40, `${turns} turns beside lines "${line}"`)
  }
})
