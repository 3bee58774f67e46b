import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  apply,
  changed,
  daily,
  GAUGE,
  OTHER_GAUGE,
  PIT,
  pit,
  recordsOf,
  recordsWith,
  RENAMED,
  START,
  textAt,
} from './_meaning.ts'

describe('a file that changes the key of stored records', () => {
  test('is refused with their number, and --rename stores them under the new key', async () => {
    await using place = await pit()

    const refused = await apply(place, RENAMED)
    const wrong = await apply(place, RENAMED, ['--rename', '16.settling=settlement'])
    const renamed = await apply(place, RENAMED, ['--rename', 'settling=settlement'])

    for (const { code, stderr } of [refused, wrong]) {
      assert.equal(code, 1)
      assert.equal(
        stderr,
        'The item settling of factor 15 gets the key "settlement", and 30 stored records of 3 stations hold "settling", which clients would not find: add --rename settling=settlement, or give the item an id of its own if it is another quantity.\n',
      )
    }
    assert.equal(renamed.code, 0, renamed.stderr)
    assert.deepEqual(
      await recordsOf(place, 'theme', 11),
      recordsWith('settlement', (value) => value),
    )
  })

  test('converts the records as well where the unit changes too', async () => {
    await using place = await pit()
    const both = RENAMED.replace('unit: mm', 'unit: m')

    const refused = await apply(place, both)
    const { code } = await apply(place, both, ['--rename', '15.settling=settlement', '--convert'])

    assert.match(refused.stderr, /^The item settling .*\nThe unit of item settling .*\n$/)
    assert.equal(code, 0)
    assert.deepEqual(
      await recordsOf(place, 'theme', 11),
      recordsWith('settlement', (value) => value / 1000),
    )
  })

  test('exchanges two keys', async () => {
    await using place = await pit()
    const swapped = PIT.replace('id: 151, key: settling', 'id: 151, key: temp').replace(
      'id: 152, key: temp',
      'id: 152, key: settling',
    )

    const { code, stderr } = await apply(place, swapped, [
      '--rename',
      'settling=temp',
      '--rename',
      'temp=settling',
    ])

    assert.equal(code, 0, stderr)
    const [first, second] = await recordsOf(place, 'theme', 11)
    assert.equal(first, textAt(START, { temp: 0.5 }))
    assert.equal(second, textAt(START + 86_400_000, { temp: 10, settling: 4 }))
  })

  test('renames raw values of all devices, or of one', async () => {
    await using place = await pit()
    const voltage = PIT.replaceAll('key: reading', 'key: voltage')
    const one = PIT.replace('key: reading', 'key: voltage')

    const refused = await apply(place, voltage)
    const other = await apply(place, one, ['--rename', `${OTHER_GAUGE}.reading=voltage`])
    const renamed = await apply(place, one, ['--rename', `${GAUGE.toUpperCase()}.reading=voltage`])

    assert.match(
      refused.stderr,
      /^The raw value reading of 2 devices is gone where "voltage" is new, and 3 stored records of 1 device hold "reading", which clients would not find: add --rename reading=voltage, or apply the file once without the new key\.\n$/,
    )
    assert.equal(other.code, 1)
    assert.equal(renamed.code, 0, renamed.stderr)
    assert.deepEqual(
      await recordsOf(place, 'raw', GAUGE),
      daily(1, 3, (day) => ({ voltage: day })).records,
    )
  })

  test('is refused where records hold both keys', async () => {
    await using place = await pit()
    const without = changed(/\n +- \{ id: 152.*/, '')
    const onto = without
      .replace('key: settling', 'key: temp')
      .replace('item: settling', 'item: temp')
    await apply(place, without)

    const { code, stderr } = await apply(place, onto, ['--rename', 'settling=temp'])

    assert.equal(code, 1)
    assert.equal(
      stderr,
      'The item settling of factor 15 cannot get the key "temp": 27 of its records hold a value of this key already.\n',
    )
  })

  test('is applied with a line where an item is only removed, or comes back', async () => {
    await using place = await pit()
    const without = changed(/\n +- \{ id: 152.*/, '')

    const removed = await apply(place, without)
    const back = await apply(place, changed("unit: '°C'", 'unit: K'))

    assert.match(
      removed.stdout,
      /^! item temp of factor 15 is removed; 27 stored records of 3 stations hold it, and clients do not find it any more$/m,
    )
    assert.match(
      back.stdout,
      /^! item temp of factor 15 is new, and 27 stored records of 3 stations hold its key already; clients get them in "K"$/m,
    )
  })

  test('notes a --rename that names nothing', async () => {
    await using place = await pit()

    const { stdout } = await apply(place, PIT, ['--rename', 'a=b'])

    assert.match(stdout, /^note: --rename a=b names no item that changes its key$/m)
  })
})
