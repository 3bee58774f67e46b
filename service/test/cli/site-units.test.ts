import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { workplace } from './_cli.ts'
import {
  apply,
  changed,
  IN_METRES,
  inMillimetres,
  PIT,
  pit,
  recordsOf,
  recordsWith,
} from './_meaning.ts'

describe('a file that changes the unit of stored records', () => {
  test('is refused with their number, in a dry run too, and nothing is changed', async () => {
    await using place = await pit()

    const refused = await apply(place, IN_METRES)
    const dry = await apply(place, IN_METRES, ['--dry-run'])

    for (const { code, stdout, stderr } of [refused, dry]) {
      assert.deepEqual([code, stdout], [1, ''])
      assert.equal(
        stderr,
        'The unit of item settling of factor 15 changes from "mm" to "m", and 30 stored records of 3 stations hold it: add --relabel if their numbers are in "m" already, or --convert to convert them from "mm".\n',
      )
    }
    assert.match((await apply(place, PIT)).stdout, /^nothing to change$/m)
    assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
  })

  test('keeps the numbers with --relabel', async () => {
    await using place = await pit()

    const { code, stdout } = await apply(place, IN_METRES, ['--relabel'])

    assert.equal(code, 0)
    assert.match(
      stdout,
      /^! item settling of factor 15: 30 stored records of 3 stations keep their numbers, which count as "m" instead of "mm"$/m,
    )
    assert.doesNotMatch(stdout, /undo/)
    assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
  })

  test('converts open, sealed and corrected records with --convert, and undo restores them', async () => {
    await using place = await pit()

    const dry = await apply(place, IN_METRES, ['--convert', '--dry-run'])
    const applied = await place.json('site', 'apply', 'site.yaml', '--convert')
    const converted = await recordsOf(place, 'theme', 11)
    const again = await apply(place, IN_METRES, ['--convert'])
    const list = await place.json('changes')
    const undone = await place.run(['undo', String(applied.change)])

    assert.match(
      dry.stdout,
      /! item settling of factor 15: 30 stored records of 3 stations are converted from "mm" to "m"\n/,
    )
    assert.match(dry.stdout, /note: stop the service first/)
    assert.deepEqual(
      converted,
      recordsWith('settling', (value) => value / 1000),
    )
    assert.equal(again.stdout, 'nothing to change\n')
    assert.deepEqual(kindsAndCounts(list), [['rewrite', 30]])
    assert.equal(undone.code, 0, undone.stderr)
    assert.match(undone.stdout, /The site is as it was\..*--relabel/)
    assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
    assert.equal((await apply(place, PIT, ['--relabel'])).code, 0)
  })

  test('is not converted to a unit of another kind', async () => {
    await using place = await pit()
    const inVolts = changed('unit: mm, precision', 'unit: V, precision')

    const without = await apply(place, inVolts)
    const converted = await apply(place, inVolts, ['--convert'])

    const mismatch = '"mm" does not convert to "V": one is a unit of length, the other of voltage'
    assert.ok(
      without.stderr.includes(`they cannot be converted, since ${mismatch}.`),
      without.stderr,
    )
    assert.ok(converted.stderr.includes(`which cannot be converted: ${mismatch}. Apply`))
  })

  test('is applied without a flag where only the spelling is another one, or no record has it', async () => {
    await using place = await pit()

    const spelling = await apply(place, changed("unit: '°C'", 'unit: Deg C'))
    await using empty = await workplace()
    await apply(empty, PIT)
    const unused = await apply(empty, IN_METRES)

    assert.deepEqual([spelling.code, unused.code], [0, 0])
  })

  test('names limits that keep their numbers when records are converted', async () => {
    await using place = await pit()

    const { stdout } = await apply(place, changed('unit: mm, precision', 'unit: m, precision'), [
      '--convert',
      '--dry-run',
    ])

    assert.match(
      stdout,
      /^! threshold batch 0d8a2f4e-\S+ keeps its numbers for "settling", which count in "m" from now on$/m,
    )
  })

  test('is not converted beside limits of structures that are in another file', async () => {
    await using place = await pit()
    const [head = ''] = IN_METRES.split('structures:\n')

    const { code, stderr } = await apply(place, head, ['--convert'])

    assert.equal(code, 1)
    assert.equal(
      stderr,
      'Structure 1, which is not in this file, has thresholds or conversions of "settling" in "mm": put it into the file with those in "m".\n',
    )
  })

  test('takes either --relabel or --convert', async () => {
    await using place = await pit()

    const { code, stderr } = await apply(place, IN_METRES, ['--relabel', '--convert'])

    assert.equal(code, 2)
    assert.match(stderr, /^Use either --relabel or --convert/)
  })
})

const kindsAndCounts = (list: { kind: string; records: number }[]) =>
  list.map(({ kind, records }) => [kind, records])
