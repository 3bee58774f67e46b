import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { shownName } from './shown-name.ts'

test('bytes that are not UTF-8 are written by their numbers, and text as it is', () => {
  for (const [bytes, shown] of [
    ['数据\u{1f30a}.csv', '数据\u{1f30a}.csv'],
    [[0xca, 0xfd, 0x2e], '\\xca\\xfd.'],
    [[0x61, 0xff, 0xe6, 0x95, 0xb0, 0xe6, 0x95], 'a\\xff数\\xe6\\x95'],
    [[], ''],
  ] as const)
    assert.equal(shownName(Buffer.from(bytes as string)), shown)
})

test('different bytes have different names, without replacement characters', () => {
  const bytes = fc.uint8Array({ maxLength: 8 }).map((given) => Buffer.from(given))
  fc.assert(
    fc.property(bytes, (given) => {
      const back = shownName(given).replaceAll(/\\x([89a-f][\da-f])/g, (_, byte: string) =>
        String.fromCharCode(0xdc00 + Number.parseInt(byte, 16)),
      )
      const parts = Array.from(back, (character) =>
        /^[\udc00-\udcff]$/u.test(character)
          ? Buffer.from([character.charCodeAt(0) - 0xdc00])
          : Buffer.from(character),
      )

      assert.deepEqual(Buffer.concat(parts), given)
    }),
    { numRuns: runs(2_000) },
  )
})
