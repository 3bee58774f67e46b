import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { Line } from '../../encodings/csv/line.ts'
import { zone } from '../../domain/time/local-time.ts'
import { readMapping } from './mapping.ts'
import { readRow, readRows, type PlacedBatch } from './read-rows.ts'
import { emptyBatch, type RowBatch } from './records.ts'
import { dataFile, readAll, readFileWhole, rejectedIn, SENSOR, shown } from './_read.ts'

const column = (name: string | number, key: string) =>
  `  - { column: ${typeof name === 'string' ? JSON.stringify(name) : name}, sensor: ${SENSOR}, key: ${key} }\n`

const CSV = `format: csv
delimiter: ;
time: { column: Time, format: 'YYYY-MM-DD HH:mm:ss[.S]' }
columns:
${column('a', 'x')}${column('b', 'y')}`

const TOA5 = `format: toa5\ncolumns:\n${column('Strain', 'x')}${column('Temp', 'y')}`

const HEADER = `"TOA5","S","CR6","1","Std","CPU:p.CR6","2","T"\r
"TIMESTAMP","RECORD","Strain","Temp"\r
"TS","RN","um/m","C"\r
"","","Smp","Avg"\r
`

describe('CSV', () => {
  test('is read by the names of its columns, wherever they stand', async () => {
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

  test("a source's own offset wins over the structure's zone, summer or not", async () => {
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

  test('rows that do not fit are named, and the good rest is read', async () => {
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
      '2: it has 2 columns, expected 3',
      '3: it has 4 columns, expected 3',
      '5: its time "2026-13-01 00:03:00" is not written as 2026-01-31 13:45:30.0',
      '6: column "a" holds "one", no number',
      '8: column 2 has a quote without an end',
      '9: column "a" holds "1,5", no number; column "b" holds "0x10", no number',
    ])
    assert.equal(shown(batches)[1], '2026-01-01T00:04:00.000Z y=2')
    assert.equal(batches[0]!.withoutValue, 1)
    assert.equal(batches[0]!.rows, 9)
  })

  test('texts of no value are no values, numbers also when written otherwise', async () => {
    const batches = await readAll(
      'Time;a;b\n2026-01-01 00:00:00;-9999.0;nan\n2026-01-01 00:01:00;INF;1\n',
      `missing: ['NaN', -9999]\n${CSV}`,
    )

    assert.deepEqual(shown(batches), ['2026-01-01T00:01:00.000Z y=1'])
    assert.deepEqual(rejectedIn(batches), ['3: column "a" holds "INF", no number'])
  })

  test('a header without a column is refused by its name, one with it twice too', async () => {
    for (const [header, words] of [
      ['Time;bcd', /^line 1: the header has no column "a"$/],
      ['Tine;a;b', /^line 1: the header has no column "Time" \(did you mean Tine\?\)$/],
      ['Time;a;b;a', /more than one column "a"; name it by its number/],
      ['Time;\u{fffd};b', /bytes that are not UTF-8/],
      ['Time;"a;b', /^line 1: the header: column 2 has a quote without an end$/],
    ] as const)
      await assert.rejects(readAll(`${header}\n`, CSV), { name: 'RefusedError', message: words })
  })

  test('header and first row may stand anywhere, and columns may go by number', async () => {
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

  test('a time may stand in several columns, or be counted from 1970', async () => {
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

  test('a row with the time of one before is counted, and refused when it should be', async () => {
    const text = 'Time;a;b\n2026-01-01 00:00:00;1;2\n2026-01-01 00:00:00;3;4\n'

    const replacing = await readAll(text, CSV)
    const refusing = await readAll(text, `duplicates: refuse\n${CSV}`)

    assert.deepEqual(replacing[0]!.doubled, [3])
    assert.equal(shown(replacing).length, 2)
    assert.deepEqual(refusing[0]!.doubled, [3])
    assert.deepEqual(rejectedIn(refusing), ['3: an earlier row has the same time'])
    assert.deepEqual(shown(refusing), ['2026-01-01T00:00:00.000Z x=1 y=2'])
  })

  test('an item called like a member of every object is an item', async () => {
    const batches = await readAll(
      'Time;a;b\n2026-01-01 00:00:00;1;2\n',
      CSV.replace('key: x', 'key: __proto__'),
    )

    assert.deepEqual(shown(batches), ['2026-01-01T00:00:00.000Z __proto__=1 y=2'])
  })
})

describe('TOA5', () => {
  test('is read through its header; NAN and INF are no values', async () => {
    const batches = await readAll(
      `${HEADER}"2026-01-31 13:45:00.05",1,-.5,"NAN"\r\n"2026-01-31 13:46:00",2,"INF",1E-3\r\n`,
      TOA5,
    )

    assert.deepEqual(shown(batches), [
      '2026-01-31T13:45:00.050Z x=-0.5',
      '2026-01-31T13:46:00.000Z y=0.001',
    ])
    assert.deepEqual(rejectedIn(batches), [])
  })

  test('a header further down holds from there on', async () => {
    const other = HEADER.replace('"Strain","Temp"', '"Temp","New","Strain"')

    const batches = await readAll(
      `${HEADER}"2026-01-31 13:45:00",9,1,2\r\n${other}"2026-01-31 13:46:00",0,1,2,3\r\n`,
      TOA5,
    )

    assert.deepEqual(shown(batches), [
      '2026-01-31T13:45:00.000Z x=1 y=2',
      '2026-01-31T13:46:00.000Z x=3 y=1',
    ])
  })

  test('rows after a header that lacks a column are refused until one fits', async () => {
    const other = HEADER.replace('"Temp"', '"Temp_Avg"')

    const batches = await readAll(
      `${other.replace('"Temp_Avg"', '"Temp"')}${other}"2026-01-31 13:46:00",0,1,2\r\n${HEADER}"2026-01-31 13:47:00",0,1,2\r\n`,
      TOA5,
    )

    assert.deepEqual(rejectedIn(batches), [
      '9: it follows a header that does not fit: line 6: the header has no column "Temp"',
    ])
    assert.equal(shown(batches).length, 1)
    await assert.rejects(readAll(other, TOA5), /line 2: the header has no column "Temp"/)
  })

  test('another file of a logger is refused by what it is', async () => {
    await assert.rejects(readAll('"TOB1","S"\n', TOA5), /line 1: .*this is a TOB1 file/)
    await assert.rejects(readAll('Time;a\n', TOA5), /line 1: a TOA5 file begins with "TOA5"/)
  })
})

describe('mixed arrays', () => {
  const MIXED = `format: mixedArray
arrayId: 10
time: { year: 2, dayOfYear: 3, hourMinute: 4, second: 5 }
columns:
${column(6, 'x')}`

  test('records of one array are read; 2400 is the midnight that ends its day', async () => {
    const batches = await readAll(
      '10,2024,60,930,15.5,.25\n11,1,2\n10,2024,366,2400,0,-6\n10,2024,367,0,0,1\n10,2024,1,1260,0,1\nx,1\n10,2024\n',
      MIXED,
    )

    assert.deepEqual(shown(batches), [
      '2024-02-29T09:30:15.500Z x=0.25',
      '2025-01-01T00:00:00.000Z x=-6',
    ])
    assert.deepEqual(rejectedIn(batches), [
      '4: its time 2024, 367, 0, 0 is no year, day of the year and hour with minute',
      '5: its time 2024, 1, 1260, 0 is no year, day of the year and hour with minute',
      '6: its first column is no array id',
      '7: it has 2 columns, expected at least 6',
    ])
  })
})

describe('real files', () => {
  const table = `format: toa5\noffset: '-10:00'\ncolumns:\n${column('PIR1_Wm2_Avg', 'x')}${column('CR23TempC_Avg', 'y')}`

  test('a CR3000 table is read to its end, which has no line break', async () => {
    const batch = await readFileWhole('toa5/4-CR3000_Table213.dat', table)

    const { rows, raw, rejected, place } = batch
    assert.deepEqual([rows, raw.length, rejected.length, place.lines], [296, 296, 0, 300])
    assert.equal(shown([batch])[0], '2009-12-01T08:00:00.000Z x=266.8 y=11.51')
    assert.equal(shown([batch]).at(-1), '2009-12-01T12:59:00.000Z x=282.6 y=6.457')
  })

  test('a CR23 file is read, and one whose records are cut short is named', async () => {
    const mapping = `format: mixedArray\narrayId: 213\ncolumnCount: 33\noffset: '-10:00'\ntime: { year: 2, dayOfYear: 3, hourMinute: 4 }\ncolumns:\n${column(5, 'x')}${column(33, 'y')}`

    const short = await readFileWhole('toa5/1-GndRadData.dat', mapping)
    const whole = await readFileWhole('toa5/2-GndRadData.dat', mapping)

    assert.deepEqual(rejectedIn([short]), [
      '1: it has 3 columns, expected 33',
      '2: it has 3 columns, expected 33',
      '3: it has 3 columns, expected 33',
    ])
    assert.deepEqual([whole.rows, whole.rejected.length], [64, 0])
    assert.equal(shown([whole])[0], '2010-02-18T08:00:00.000Z x=240.21 y=15.08')
  })

  test('Latin-1, day-first times and a trailing comma are read', async () => {
    const mapping = `format: csv\nencoding: latin1\ntime: { column: Time (-), format: 'DD.MM.YYYY HH:mm:ss.SSS' }\ncolumns:\n${column('Air Temperature (°C)', 'x')}`

    const batch = await readFileWhole(
      'munich-test-bridge/UniBw_2022-04-11_ref_load_01.csv',
      mapping,
    )

    assert.deepEqual([batch.rows, batch.rejected.length], [120, 0])
    assert.equal(shown([batch])[0], '2022-04-11T06:36:25.984Z x=1.60000002384186')
  })
})

describe('reading on', () => {
  test('from the place of any batch gives what was not read yet, once', async () => {
    const second = HEADER.replace('"Strain","Temp"', '"Temp","Strain"')
    const row = fc.tuple(fc.boolean(), fc.nat(9))
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(700),
        async (rows, batchRecords, stop) => {
          const lines = rows.map(([isHeader, value], index) =>
            isHeader
              ? second
              : `"2026-01-01 00:${String(index).padStart(2, '0')}:00",1,${value},2\r\n`,
          )
          const text = HEADER + lines.join('')
          const whole = await readAll(text, TOA5)

          const begun = await readAll(text.slice(0, HEADER.length + stop), TOA5, {
            batchRecords,
            takesOpenLine: false,
          })
          const read = begun.slice(0, 1 + (stop % begun.length))
          const rest = await readAll(text, TOA5, { from: read.at(-1)!.place, batchRecords })

          assert.deepEqual(shown([...read, ...rest]), shown(whole))
          assert.deepEqual(rejectedIn([...read, ...rest]), rejectedIn(whole))
          assert.equal(rest.at(-1)!.place.offset, text.length)
        },
      ),
    )
  })

  test('a real file that grows gives each row once', async () => {
    const mapping = `format: toa5\ncolumns:\n${column('Batt_Volt_Avg', 'x')}`
    const texts = [1, 2, 3, 4].map((length) =>
      readFileSync(dataFile(`toa5/${length}-CR1000x_PWS_002_IPconnect_Met.dat`)),
    )
    const whole = await readAll(texts[3]!, mapping)

    let from = { offset: 0, lines: 0, header: 0, headerLines: 0 }
    const rows: string[] = []
    const counts: number[] = []
    for (const text of texts) {
      const batches = await readAll(text, mapping, { from, takesOpenLine: false })
      from = batches.at(-1)!.place
      rows.push(...shown(batches))
      counts.push(shown(batches).length)
    }

    assert.deepEqual(counts, [6, 4, 4, 10])
    assert.deepEqual(rows, shown(whole))
  })
})

describe('a line by itself', () => {
  const MIXED = `format: mixedArray\narrayId: 60\ntime: { year: 2, dayOfYear: 3, hourMinute: 4 }\ncolumns: [{ column: 5, sensor: ${SENSOR}, key: x }]\n`
  const wild = fc.constantFrom('1', '2.5', 'NAN', 'x', '', '"', '1,2', '60')
  const FORMS = [
    {
      mapping: `skipLines: 3\nheaderRow: 2\n${CSV}`,
      head: ['about', 'Time;b;a', 'units'],
      row: (at: number, text: string) => `2026-01-01 00:${pad(at)}:00;${text};7`,
      heads: [] as string[][],
    },
    {
      mapping: TOA5,
      head: HEADER.trimEnd().split('\r\n'),
      row: (at: number, text: string) => `"2026-01-01 00:${pad(at)}:00",${at},${text},7`,
      heads: [
        HEADER.replace('"Strain","Temp"', '"Temp","Strain"').trimEnd().split('\r\n'),
        HEADER.replace('"Temp"', '"Other"').trimEnd().split('\r\n'),
      ],
    },
    {
      mapping: MIXED,
      head: [] as string[],
      row: (at: number, text: string) => `60,2026,1,${pad(at)},${text}`,
      heads: [] as string[][],
    },
  ]

  test('means below its header what it means in its file, and is refused alike', async () => {
    const part = fc.record({ texts: fc.array(wild, { maxLength: 6 }), head: fc.nat(2) })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FORMS),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        async ({ mapping, head, row, heads }, parts, batchRecords) => {
          let minute = 0
          const lines = [...head]
          for (const { texts, head } of parts) {
            lines.push(...texts.map((text) => row(minute++, text)), ...(heads[head] ?? []))
          }
          const batches = await readAll(lines.join('\n'), mapping, { batchRecords })

          const alone = batches.flatMap(({ rawLines, rejected, headers }) => {
            const all = new Set([...rawLines, ...rejected.map(({ line }) => line)])
            return [...all].map((line) => {
              const header = headers.findLast(({ from }) => from <= line.number)?.text
              const read = { mapping: readMapping(mapping, 'm.yaml'), zoneOf: () => zone('UTC') }
              return { line, batch: tryRow(line.text, header, read) }
            })
          })

          assert.deepEqual(
            alone.flatMap(({ batch }) => shown([batch as PlacedBatch])).toSorted(),
            shown(batches).toSorted(),
          )
          assert.deepEqual(
            alone
              .flatMap(({ line, batch }) =>
                batch.rejected.map(({ reason }) => [line.number, reason]),
              )
              .map(String)
              .toSorted(),
            batches
              .flatMap(({ rejected }) =>
                rejected.map(({ line, reason }) => [line.number, anyLine(reason)]),
              )
              .map(String)
              .toSorted(),
          )
        },
      ),
      { numRuns: runs(300) },
    )
  })
})

/** A later header that does not fit is refused before its rows are looked at. */
function tryRow(...args: Parameters<typeof readRow>): RowBatch {
  try {
    return readRow(...args)
  } catch (error) {
    const reason = `it follows a header that does not fit: ${(error as Error).message}`
    return { ...emptyBatch(), rejected: [{ line: Line.of('', 0), reason: anyLine(reason) }] }
  }
}

const pad = (number: number): string => String(number).padStart(2, '0')

/** A header that is read again does not know which line it was. */
const anyLine = (reason: string): string => reason.replace(/line \d+/, 'line n')

test('an aborted reading throws after the piece under way, also amid reserved space', async () => {
  for (const filler of ['\0', 'x', 'x\n']) {
    const stop = new AbortController()
    let pieces = 0
    async function* endless() {
      for (; pieces < 10_000; pieces++) {
        if (pieces === 10) stop.abort()
        yield Buffer.from(filler.repeat(1000))
      }
    }

    const reading = Array.fromAsync(
      readRows(endless, {
        mapping: readMapping(
          CSV.replace('columns:', 'headerRow: 0\ncolumns:')
            .replace('column: Time', 'column: 3')
            .replace('"a"', '1')
            .replace('"b"', '2'),
          'm.yaml',
        ),
        zoneOf: () => zone('UTC'),
        takesOpenLine: true,
        signal: stop.signal,
      }),
    )

    await assert.rejects(reading, { name: 'AbortError' })
    assert.equal(pieces, 10)
  }
})
