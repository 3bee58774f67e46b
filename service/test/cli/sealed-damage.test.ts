import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readEverything, assertSame, flip, SealSite } from '../_sealed.ts'
import type { HttpResponse } from '../_service.ts'
import { workplace } from './_cli.ts'

describe('a damaged sealed day', () => {
  test('gives an error or no response, and every other day is served', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await using site = await SealSite.open(folder)
    await place.run(['seal'])
    const expected = await site.responses()
    const day = `source = 2001 and newest like '%2025-10-26%'`

    for (const column of ['deflated', 'times', 'newest', 'hours', ...NUMBERS]) {
      const mend = flip(folder, 'theme_sealed_parts', column, day)
      const found = await readEverything(site.service, site.token)
      mend()

      const failed = Array.from(found).filter(([ask, response]) => isFailure(response, ask))
      for (const [ask, response] of found)
        if (!isFailure(response, ask))
          assert.equal(textOf(response), expected.get(ask), `${column}: ${ask}`)
      if (column === 'deflated') assert.ok(failed.length > 10, String(failed.length))
      for (const [ask] of failed) assert.match(ask, /2001|factors\/17/, `${column}: ${ask}`)
      const others = Array.from(found).filter(([ask]) =>
        ask.includes('startTime=2025-03-30+00:00:00'),
      )
      assert.ok(others.length > 0)
      for (const [ask, response] of others)
        assert.ok(!isFailure(response, ask), `${column}: ${ask}`)
    }
    assertSame(await site.responses(), expected, 'mended')
  })
})

const NUMBERS = 'count length crc header_crc deflated_crc bounds_crc start first last until'.split(
  ' ',
)

/** An error before the first byte, or a response whose end is missing. */
function isFailure(response: HttpResponse | Error, ask: string): boolean {
  if (response instanceof Error) return true
  if (response.status === 500) return true
  assert.equal(response.status, 200, ask)
  return false
}

const textOf = (response: HttpResponse | Error): string =>
  response instanceof Error ? '' : response.text
