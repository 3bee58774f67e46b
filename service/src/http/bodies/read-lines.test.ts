import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonScan } from './json-scan.ts'
import { readLines } from './read-lines.ts'

test('others have their turn while lines are read, blank ones too', async () => {
  for (const line of ['', ' ', '{"a":1}']) {
    const bytes = new Uint8Array(Buffer.from(`${line}\n`.repeat(50_000)))
    let turns = 0
    let isOver = false
    const count = (): void => {
      if (isOver) return
      turns++
      setImmediate(count)
    }
    setImmediate(count)

    await readLines(bytes, new JsonScan({ depth: 32, members: 1e6 }))
    isOver = true

    assert.ok(turns > 40, `${turns} turns beside lines "${line}"`)
  }
})
