import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../../../test/_event-loop-turns.ts'
import { toText, toTextInSlices } from './to-text.ts'

const MEGABYTE = 1024 * 1024

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

test('a text that is decoded in slices is the same as one decoded at once', async () => {
  for (const text of ['', 'm v=1', ...['a', 'é', '温', '😀'].map((one) => one.repeat(900_000))])
    for (const before of ['', 'a', 'ab', 'abc'])
      assert.ok((await toTextInSlices(bytesOf(before + text))) === before + text)
})

test('bytes that are not UTF-8 are decoded as at once', async () => {
  for (const byte of [0x80, 0xff]) {
    const bytes = new Uint8Array(2 * MEGABYTE + 1).fill(byte)

    assert.ok((await toTextInSlices(bytes)) === toText(bytes))
  }
})

test('other tasks run after each megabyte', async () => {
  const turns = await countTurns(() => toTextInSlices(bytesOf('a'.repeat(8 * MEGABYTE))))

  assert.equal(turns, 9)
})
