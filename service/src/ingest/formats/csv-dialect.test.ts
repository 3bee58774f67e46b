import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CSV, readAll, rejectedIn, shown } from './_read.ts'

describe('CSV', () => {
  test('finds its columns by name, at any position', async () => {
    const batches = await readAll(
      'id;b;Time;a\n1;2,5;2026-01-31 13:45:00;-1e3\r\n\n2;;2026-01-31 13:46:00.25;7',
      CSV.replace('delimiter', 'decimalComma: true\ndelimiter').replace('-1e3', '-1'),
      { timeZone: 'Asia/Shanghai' },
    )

    assert.deepEqual(shown(batches), [
      '2026-01-31T05:45:00.000Z x=-1000 y=2.5',
      '2026-01-31T05:46:00.250Z x=7',
    ])
    assert.deepEqual(rejectedIn(batches), [])
  })

  test('the offset of the mapping replaces the zone of the structure, in summer and winter', async () => {
    const text = 'Time;a;b\n2026-07-01 12:00:00;1;2\n2026-01-01 12:00:00;1;2\n'

    const own = await readAll(text, `offset: '+01:00'\n${CSV}`, { timeZone: 'Asia/Shanghai' })
    const zoned = await readAll(text, CSV, { timeZone: 'Europe/Berlin' })

    assert.deepEqual(
      shown(own).map((row) => row.slice(0, 16)),
      ['2026-07-01T11:00', '2026-01-01T11:00'],
    )
    assert.deepEqual(
      shown(zoned).map((row) => row.slice(0, 16)),
      ['2026-07-01T10:00', '2026-01-01T11:00'],
    )
  })

  test('rows that do not match are rejected, and the others are read', async () => {
    const batches = await readAll(
      `Time;a;b
2026-01-01 00:00:00;1
2026-01-01 00:01:00;1;2;3
2026-01-01 00:02:00;1;2;
2026-13-01 00:03:00;1;2
2026-01-01 00:04:00;one;2
2026-01-01 00:05:00;;
2026-01-01 00:06:00;"1;2
2026-01-01 00:07:00;1,5;0x10
2026-01-01 00:08:00;1;2`,
      CSV,
    )

    assert.deepEqual(
      shown(batches).map((row) => row.slice(14, 16)),
      ['02', '04', '08'],
    )
    assert.deepEqual(rejectedIn(batches), [
      '2: the row has 2 columns, expected 3',
      '3: the row has 4 columns, expected 3',
      '5: time "2026-13-01 00:03:00" does not match the format, for example 2026-01-31 13:45:30.0',
      '6: column "a": "one" is not a number',
      '8: column 2 has an unclosed quotation mark',
      '9: column "a": "1,5" is not a number: expected "decimalComma: true" in the mapping, or a decimal point; column "b": "0x10" is not a number',
    ])
    assert.equal(shown(batches)[1], '2026-01-01T00:04:00.000Z y=2')
    assert.equal(batches[0]?.withoutValue, 1)
    assert.equal(batches[0]?.rows, 9)
  })

  test('texts for no value are read as such, numbers in any notation', async () => {
    const batches = await readAll(
      'Time;a;b\n2026-01-01 00:00:00;-9999.0;nan\n2026-01-01 00:01:00;INF;1\n',
      `missing: ['NaN', -9999]\n${CSV}`,
    )

    assert.deepEqual(shown(batches), ['2026-01-01T00:01:00.000Z y=1'])
    assert.deepEqual(rejectedIn(batches), ['3: column "a": "INF" is not a number'])
  })

  test('a header without a column, or with it twice, is refused with its name', async () => {
    for (const [header, words] of [
      ['Time;bcd', /^line 1: the header has no column "a"; it has Time, bcd$/],
      [
        'Time,a,b',
        /^line 1: the header has no column "Time"; with another delimiter it has this column: expected "delimiter: ','" in the mapping$/,
      ],
      ['Time\ta', /expected "delimiter: "\\t"" in the mapping$/],
      ['Tine;a;b', /^line 1: the header has no column "Time" \(did you mean Tine\?\)$/],
      ['Time;a;b;a', /more than one column "a"; name it by its number/],
      ['Time;\u{fffd};b', /its bytes are not utf-8: /],
      ['Time;"a;b', /^line 1: the header: column 2 has an unclosed quotation mark$/],
    ] as const)
      await assert.rejects(readAll(`${header}\n`, CSV), { name: 'RefusedError', message: words })
  })

  test('header and first row may be in any line, and columns may have numbers', async () => {
    const rows = '1;2026-01-01 00:00:00;2\n'
    const byName = `headerRow: 2\nskipLines: 3\n${CSV}`.replaceAll('"b"', '3')
    const byNumber = `headerRow: 0\nskipLines: 1\n${CSV}`
      .replace('"a"', '1')
      .replace('"b"', '3')
      .replace('column: Time', 'column: 2')

    const named = await readAll(`export of today\na;Time;c\nmm;;C\n${rows}`, byName)
    const numbered = await readAll(`anything\n${rows}`, byNumber)

    assert.deepEqual(shown(named), ['2026-01-01T00:00:00.000Z x=1 y=2'])
    assert.deepEqual(shown(numbered), shown(named))
  })

  test('a time may be in several columns, or be counted from 1970', async () => {
    const several = CSV.replace('column: Time', 'column: [Date, Clock]').replace(' HH', ' H')
    const counted = CSV.replace(/format: '.*'/, 'format: epochSeconds')

    const batches = [
      await readAll('Date;Clock;a;b\n2026-01-01;7:05:00;1;2', several),
      await readAll('Time;a;b\n1767225600.25;1;2\nx;1;2', counted),
    ]

    assert.deepEqual(
      batches.flatMap(shown).map((row) => row.slice(0, 23)),
      ['2026-01-01T07:05:00.000', '2026-01-01T00:00:00.250'],
    )
    assert.deepEqual(rejectedIn(batches[1]!), ['3: its time "x" is no number'])
  })

  test('a row with the time of an earlier one is counted, and rejected with `duplicates: refuse`', async () => {
    const text = 'Time;a;b\n2026-01-01 00:00:00;1;2\n2026-01-01 00:00:00;3;4\n'

    const replacing = await readAll(text, CSV)
    const refusing = await readAll(text, `duplicates: refuse\n${CSV}`)

    assert.deepEqual(replacing[0]?.doubled, [3])
    assert.equal(shown(replacing).length, 2)
    assert.deepEqual(refusing[0]?.doubled, [3])
    assert.deepEqual(rejectedIn(refusing), ['3: an earlier row has the same time'])
    assert.deepEqual(shown(refusing), ['2026-01-01T00:00:00.000Z x=1 y=2'])
  })

  test('an item key may be `__proto__`', async () => {
    const batches = await readAll(
      'Time;a;b\n2026-01-01 00:00:00;1;2\n',
      CSV.replace('key: x', 'key: __proto__'),
    )

    assert.deepEqual(shown(batches), ['2026-01-01T00:00:00.000Z __proto__=1 y=2'])
  })
})
