import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { zip } from '../security/_zip.ts'
import { workplace, type Workplace } from './_cli.ts'
import { prepare, recordsOf, rejectsOf } from './_import.ts'
import { STYLES, xlsx } from './_xlsx.ts'

const MAPPING = `format: xlsx
sheet: Werte
headerRow: 2
time: { column: Time }
columns:
  - { column: 'Strain, µε', station: 1002, item: strain }
  - { column: T, station: 1002, item: temperature }
`
const number = (place: string, value: number | string, style = 0): string =>
  `<c r="${place}" s="${style}"><v>${value}</v></c>`
const text = (place: string, index: number): string => `<c r="${place}" t="s"><v>${index}</v></c>`

const STRINGS = ['Time', 'Strain, µε', 'T', 'says &quot;n/a&quot;']
const HEADER = `<row r="2">${text('A2', 0)}${text('B2', 1)}${text('D2', 2)}</row>`
const ROWS = [
  `<row r="1"><c r="A1" t="inlineStr"><is><t>About</t></is></c></row>${HEADER}`,
  `<row r="4">${number('A4', 45_352.5, STYLES.time)}${number('B4', '0.10000000000000001')}${number('D4', 20, STYLES.percent)}</row>`,
  `<row r="5">${number('A5', 45_353, STYLES.date)}<c r="B5" t="str"><f>A1</f><v>2.5</v></c><c r="D5"/></row>`,
  `<row r="6">${number('A6', 45_353.25, STYLES.time)}${text('B6', 3)}${number('D6', 21)}</row>`,
].join('')
const SHEETS = { Other: '', Werte: ROWS }

async function importBook(
  place: Workplace,
  bytes: Uint8Array,
  mapping = MAPPING,
  ...flags: string[]
) {
  await prepare(place, { 'm.yaml': mapping })
  await writeFile(join(place.folder, 'book.xlsx'), bytes)
  return place.run(['import', 'book.xlsx', '--mapping', 'm.yaml', ...flags])
}

test('a sheet is imported with its dates and numbers, and rejected by the numbers of its rows', async () => {
  await using place = await workplace()

  const { code, stdout } = await importBook(place, xlsx({ sheets: SHEETS, strings: STRINGS }))

  assert.equal(code, 1)
  assert.match(stdout, /^book\.xlsx: 3 rows read, 4 values in them; 3 records were stored\.$/m)
  assert.match(stdout, /1 x column "Strain, µε": "says \\"n\/a\\"" is not a number \(line 6\)$/m)
  assert.deepEqual(await recordsOf(place, 'theme', 1002), [
    '{"strain":0.1,"temperature":20,"time":"2024-03-01 12:00:00"}',
    '{"strain":2.5,"time":"2024-03-02 00:00:00"}',
    '{"temperature":21,"time":"2024-03-02 06:00:00"}',
  ])
  const [reject] = await rejectsOf(place)
  assert.equal((reject as { line?: string }).line, '2024-03-02 06:00:00,"says ""n/a""",,21')
  const corrected = MAPPING.replace("'Strain, µε'", 'T').replace(/  - .*temperature.*\n/, '')
  await writeFile(join(place.folder, 'm.yaml'), corrected)
  const { replayed } = await place.json('rejects', 'replay', '--all')
  assert.equal(replayed, 1)
})

test('a sheet has a number too, a date may be beside its clock, and days count from 1904', async () => {
  await using place = await workplace()
  const row = `<row>${[number('A1', 45_352 - 1462, STYLES.date), number('B1', 0.25, STYLES.clock)].join('')}<c><v>7</v></c></row>`
  const mapping = `format: xlsx
sheet: 2
headerRow: 0
time: { column: [1, 2] }
columns: [{ column: 3, station: 1002, item: strain }]
`

  const book = xlsx({ sheets: { A: '', B: row }, is1904: true })
  const { code, stdout } = await importBook(place, book, mapping)

  assert.equal(code, 0, stdout)
  assert.deepEqual(await recordsOf(place, 'theme', 1002), [
    '{"strain":7,"time":"2024-03-01 06:00:00"}',
  ])
})

test('workbooks in archives are read, and chosen by their names', async () => {
  await using place = await workplace()
  const book = xlsx({ sheets: SHEETS, strings: STRINGS })
  const outer = zip([
    { name: 'a.xlsx', content: book },
    { name: 'b.xlsx', content: book },
    { name: 'c.csv', content: Buffer.from('no workbook') },
  ])

  const { stdout } = await importBook(place, outer, MAPPING, '--members', '[bc].*', '--dry-run')

  assert.match(stdout, /^book\.xlsx > b\.xlsx: 3 rows read/m)
  assert.match(
    stdout,
    /^book\.xlsx > c\.csv: the file is no XLSX workbook, but its mapping says "format: xlsx"$/m,
  )
  assert.doesNotMatch(stdout, /a\.xlsx/)
})

test('a workbook that cannot be read is refused by a sentence', async () => {
  for (const [book, message] of [
    [xlsx({ sheets: { Other: '' } }), 'the workbook has no sheet "Werte", but "Other"'],
    [
      xlsx({ sheets: SHEETS, parts: { 'xl/worksheets/sheet2.xml': '<a><b></a>' } }),
      'xl/worksheets/sheet2.xml is no valid XML: Unexpected close tag',
    ],
    [
      xlsx({ sheets: { Werte: '<row r="5"></row><row r="4"></row>' } }),
      'row 4 follows row 5 in the sheet',
    ],
    [
      xlsx({ sheets: { Werte: '<row r="1048577"></row>' } }),
      'row 1048577 follows row 0 in the sheet',
    ],
    [
      xlsx({ sheets: { Werte: '<row><c r="XFE1"><v>1</v></c></row>' } }),
      'row 1: cell XFE1 is in no column of a sheet',
    ],
  ] as const) {
    await using place = await workplace()

    const { code, stdout } = await importBook(place, book)

    assert.equal(code, 1)
    assert.ok(stdout.includes(`book.xlsx: ${message}`), stdout)
  }
})

test('a workbook that inflates beyond the limits ends there', async () => {
  await using place = await workplace()
  const row = `<row>${'<c><v>1</v></c>'.repeat(100)}</row>`
  const book = xlsx({ sheets: { Other: '', Werte: HEADER + row.repeat(2000) }, strings: STRINGS })

  const { code, stdout } = await importBook(place, book, MAPPING, '--max-inflated', '1')

  assert.equal(code, 1)
  assert.match(stdout, /the archive inflates to more than 1 MB \(--max-inflated/)
})

test('flags of a sheet are numbers or texts, in a column or behind the number', async () => {
  await using place = await workplace()
  const rows = [
    `<row r="1">${text('A1', 0)}${text('B1', 1)}${text('C1', 2)}${text('D1', 3)}</row>`,
    `<row r="2">${number('A2', 45_352.5, STYLES.time)}${number('B2', 1.5)}${number('C2', 4)}${text('D2', 4)}</row>`,
    `<row r="3">${number('A3', 45_353.5, STYLES.time)}${number('B3', 2.5)}${number('C3', 1)}${text('D3', 5)}</row>`,
  ]
  const strings = ['Time', 'S', 'QC', 'T', '20.5 e', '-']
  const mapping = `format: xlsx
time: { column: Time }
columns:
  - { column: S, station: 1002, item: strain, quality: { column: QC, flags: { 1: good, 4: bad } } }
  - { column: T, station: 1002, item: temperature, quality: { flags: { e: uncertain, '-': bad } } }
`

  const book = xlsx({ sheets: { Sheet: rows.join('') }, strings })
  const { stdout } = await importBook(place, book, mapping, '--dry-run')

  assert.match(
    stdout,
    /strain: 2\.5 to 2\.5 µε, 1 bad\n {4}temperature: 20\.5 to 20\.5 °C, 1 uncertain$/m,
  )
})
