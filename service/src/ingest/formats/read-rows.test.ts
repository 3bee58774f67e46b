import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { zone } from '../../domain/time/local-time.ts'
import { readMapping } from './mapping.ts'
import { readRows } from './read-rows.ts'
import {
  column,
  CSV,
  dataFile,
  HEADER,
  readAll,
  readFileWhole,
  rejectedIn,
  shown,
  TOA5,
} from './_read.ts'

describe('real files', () => {
  const table = `format: toa5\noffset: '-10:00'\ncolumns:\n${column('PIR1_Wm2_Avg', 'x')}${column('CR23TempC_Avg', 'y')}`

  test('a CR3000 table is read to its end without a line break', async () => {
    const batch = await readFileWhole('toa5/4-CR3000_Table213.dat', table)

    const { rows, raw, rejected, place } = batch
    assert.deepEqual([rows, raw.length, rejected.length, place.lines], [296, 296, 0, 300])
    assert.equal(shown([batch])[0], '2009-12-01T08:00:00.000Z x=266.8 y=11.51')
    assert.equal(shown([batch]).at(-1), '2009-12-01T12:59:00.000Z x=282.6 y=6.457')
  })

  test('a CR23 file is read, and records that are cut off are rejected', async () => {
    const mapping = `format: mixedArray\narrayId: 213\ncolumnCount: 33\noffset: '-10:00'\ntime: { year: 2, dayOfYear: 3, hourMinute: 4 }\ncolumns:\n${column(5, 'x')}${column(33, 'y')}`

    const short = await readFileWhole('toa5/1-GndRadData.dat', mapping)
    const whole = await readFileWhole('toa5/2-GndRadData.dat', mapping)

    assert.deepEqual(rejectedIn([short]), [
      '1: the row has 3 columns, expected 33',
      '2: the row has 3 columns, expected 33',
      '3: the row has 3 columns, expected 33',
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

describe('continued reading', () => {
  test('from the place of any batch reads the rest, once', async () => {
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

  test('each row of a real file that grows is read once', async () => {
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

test('an aborted reading throws after the chunk under way, also in reserved space', async () => {
  for (const filler of ['\0', 'x', 'x\n']) {
    const stop = new AbortController()
    let chunks = 0
    async function* endless() {
      for (; chunks < 10_000; chunks++) {
        if (chunks === 10) stop.abort()
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
    assert.equal(chunks, 10)
  }
})
