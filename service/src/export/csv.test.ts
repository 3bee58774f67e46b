import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Papa from 'papaparse'
import { zone } from '../domain/time/local-time.ts'
import { writeCsv, type CsvStyle } from './csv.ts'
import { layOut, type ExportSource, type TimeStyle } from './columns.ts'
import type { ExportRows } from './read-records.ts'

const PLAIN: CsvStyle = {
  delimiter: ',',
  decimalComma: false,
  bom: false,
  escapesFormulas: true,
}

const berlin: ExportSource = {
  source: 1,
  id: '1',
  name: '应变-01; "left"',
  zone: zone('Europe/Berlin'),
  items: [
    { key: 'strain', unit: 'µε' },
    { key: 'x', unit: '' },
  ],
}

async function textOf(
  rows: ExportRows[],
  { times = 'local', style = {}, sources = [berlin] }: Partial<Options> = {},
): Promise<string> {
  const layout = layOut({ kind: 'theme', times }, sources)
  const pieces = writeCsv(layout, { ...PLAIN, ...style }, stream(rows))
  return Buffer.concat(await Array.fromAsync(pieces)).toString()
}

type Options = { times: TimeStyle; style: Partial<CsvStyle>; sources: ExportSource[] }

async function* stream(rows: ExportRows[]): AsyncGenerator<ExportRows> {
  yield* rows
}

const TWICE = Date.UTC(2026, 9, 25, 0, 30)
const rows: ExportRows = {
  source: berlin,
  rows: [
    { time: TWICE, values: [1.5, null] },
    { time: TWICE + 3_600_250, values: [-1e-7, 1e21] },
  ],
}

test('a row has the local time, the instant, and empty cells for absent values', async () => {
  const text = await textOf([rows])

  assert.equal(
    text,
    `time,instant,strain [µε],x
2026-10-25 02:30:00,2026-10-25T02:30:00.000+02:00,1.5,
2026-10-25 02:30:00,2026-10-25T02:30:00.250+01:00,-1e-7,1e+21
`,
  )
})

test('with an offset or in UTC one column holds the time', async () => {
  const offset = await textOf([rows], { times: 'offset' })
  const utc = await textOf([rows], { times: 'utc' })

  assert.match(offset, /^time,strain.*\n2026-10-25T02:30:00\.000\+02:00,1\.5,\n/)
  assert.match(utc, /^time,strain.*\n2026-10-25T00:30:00\.000Z,1\.5,\n/)
})

test('a decimal comma, another delimiter and a byte order mark suit a spreadsheet', async () => {
  const sources = [berlin, { ...berlin, id: '2' }]
  const style = { delimiter: ';', decimalComma: true, bom: true }

  const text = await textOf([rows], { sources, style })

  assert.ok(text.startsWith('\uFEFFstation;station name;time;instant;strain [µε];x\n'))
  assert.ok(text.includes('\n1;"应变-01; ""left""";2026-10-25 02:30:00;'))
  assert.ok(text.endsWith(';-1e-7;1e+21\n'))
  assert.ok(text.includes(';1,5;\n'))
})

test('a text with any separator is in quotes, whatever the delimiter is', async () => {
  for (const delimiter of [',', ';', '\t', '|'])
    for (const separator of [',', ';', '\t', '|']) {
      const name = `SG${separator}=1+1`
      const source = { ...berlin, name }

      const text = await textOf([{ ...rows, source }], {
        sources: [source, { ...berlin, id: '2' }],
        style: { delimiter, escapesFormulas: false },
      })

      assert.ok(text.includes(`\n1${delimiter}"${name}"${delimiter}`), text)
    }
})

test('a reader that splits at another separator finds no formula', async () => {
  for (const style of [{ delimiter: ',' }, { delimiter: ';' }])
    for (const other of [',', ';', '\t', '|', '\n']) {
      const name = `SG${other}=1+1${other}@x${other}"=1&"`
      const sources = [
        { ...berlin, name },
        { ...berlin, id: '2', items: [{ key: name, unit: name }] },
      ]

      const [source = berlin] = sources
      const text = await textOf([{ ...rows, source }], { sources, style })

      for (const cell of text.split(/[,;\t|\n]/))
        assert.doesNotMatch(cell, /^"*[=@+]/, JSON.stringify(text))
    }
})

test('a number is read back as the same double', async () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  await fc.assert(
    fc.asyncProperty(double, fc.boolean(), async (value, decimalComma) => {
      const style = { delimiter: ';', decimalComma }
      const text = await textOf([{ source: berlin, rows: [{ time: 0, values: [value, null] }] }], {
        style,
      })

      const cell = text.split('\n')[1]!.split(';')[2]!
      // Minus zero is written as zero, as records are.
      assert.equal(Number(cell.replace(',', '.')), value + 0)
    }),
  )
})

test('an independent reader reads any texts back', async () => {
  const text = fc.string({ unit: 'binary' })
  const delimiters = fc.constantFrom(',', ';', '\t', '|')
  await fc.assert(
    fc.asyncProperty(text, text, delimiters, async (name, unit, delimiter) => {
      const source = { ...berlin, name, items: [{ key: 'strain', unit: `µ${unit}` }] }
      const sources = [source, { ...source, id: '2' }]
      const given = [{ source, rows: [{ time: 0, values: [1] }] }]

      const file = await textOf(given, { sources, style: { delimiter, escapesFormulas: false } })

      const { data } = Papa.parse<string[]>(file, { delimiter, newline: '\n' })
      assert.equal(data[0]?.at(-1), `strain [µ${unit}]`)
      assert.deepEqual(data[1]?.slice(0, 2), ['1', name])
    }),
  )
})
