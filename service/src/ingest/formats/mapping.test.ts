import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMapping } from './mapping.ts'

const SENSOR = '6F1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'
const COLUMN = `{ column: Strain, sensor: ${SENSOR}, key: strain }`

const refusalOf = (text: string): string => {
  try {
    readMapping(text, 'm.yaml')
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('columns of one sensor are gathered, and what is left out has its default', () => {
  const mapping = readMapping(
    `format: toa5
columns:
  - { column: a, sensor: ${SENSOR}, key: x, unit: mV }
  - { column: 4, station: 7, item: y, scale: 0.5 }
  - { column: b, sensor: ${SENSOR.toUpperCase()}, key: y }
`,
    'm.yaml',
  )

  assert.deepEqual(mapping.targets, [
    {
      kind: 'raw',
      id: SENSOR.toLowerCase(),
      columns: [
        { column: 'a', key: 'x', scale: undefined, unit: 'mV', quality: undefined },
        { column: 'b', key: 'y', scale: undefined, unit: undefined, quality: undefined },
      ],
    },
    {
      kind: 'theme',
      id: 7,
      columns: [{ column: 4, key: 'y', scale: 0.5, unit: undefined, quality: undefined }],
    },
  ])
  assert.equal(mapping.delimiter, ',')
  assert.equal(mapping.encoding, 'utf-8')
  assert.equal(mapping.zone, undefined)
  assert.deepEqual([...mapping.missing.texts], ['NAN', 'INF', '+INF', '-INF'])
})

test('what is wrong is named with its line and, near a known word, what was meant', () => {
  const time = `time: { column: Time, format: YYYY-MM-DD }`
  for (const [text, words] of [
    ['', /m\.yaml:1: the file is empty/],
    [`format: toa\ncolumns: [${COLUMN}]`, /m\.yaml:1: format: .*did you mean toa5/],
    [
      `format: csv\ncolums: []`,
      /m\.yaml:2: colums: there is no such key \(did you mean columns\?\)/,
    ],
    [`format: csv\n${time}\ncolumns: []`, /m\.yaml:3: columns: .*found an empty one/],
    [`format: csv\ncolumns: [${COLUMN}]`, /m\.yaml:1: time is missing: expected column and format/],
    [
      `format: csv\ntime: { column: T }\ncolumns: [${COLUMN}]`,
      /m\.yaml:2: time: format is missing/,
    ],
    [
      `format: csv\ntime: { column: T, format: dd.MM.yyyy }\ncolumns: [${COLUMN}]`,
      /m\.yaml:2: time\.format: the time format "dd\.MM\.yyyy" cannot be used/,
    ],
    [
      `format: csv\n${time}\ncolumns: [{ column: a, sensor: ${SENSOR}, item: x }]`,
      /m\.yaml:3: columns\[0\]: expected either sensor and key, or station and item/,
    ],
    [
      `format: csv\n${time}\ncolumns: [{ column: a, sensor: ${SENSOR}, key: x, station: 1 }]`,
      /m\.yaml:3: columns\[0\]: expected either sensor and key, or station and item/,
    ],
    [
      `format: csv\n${time}\ncolumns: [${COLUMN}, ${COLUMN}]`,
      /m\.yaml:3: columns\[1\]: another column goes to strain of the same/,
    ],
    [`format: csv\ndecimalComma: true\n${time}\ncolumns: [${COLUMN}]`, /need another delimiter/],
    [
      `format: csv\ndelimiter: '||'\n${time}\ncolumns: [${COLUMN}]`,
      /m\.yaml:2: delimiter: expected/,
    ],
    [`format: csv\narrayId: 3\n${time}\ncolumns: [${COLUMN}]`, /m\.yaml:2: arrayId: this has no/],
    [`format: csv\ncolumnCount: 3\n${time}\ncolumns: [${COLUMN}]`, /m\.yaml:2: columnCount: the h/],
    [
      `format: csv\nheaderRow: 0\n${time}\ncolumns: [${COLUMN}]`,
      /columns\[0\]\.column: expected the n/,
    ],
    [
      `format: mixedArray\ntime: { year: 2, dayOfYear: 3 }\ncolumns: [${COLUMN}]`,
      /m\.yaml:2: time: hourMinute is missing/,
    ],
    [
      `format: mixedArray\ntime: { year: 2, column: 3 }\ncolumns: [${COLUMN}]`,
      /m\.yaml:2: time: expected either column and format, or numbers/,
    ],
    [
      `format: csv\noffset: +8\n${time}\ncolumns: [${COLUMN}]`,
      /m\.yaml:2: offset: expected a fixed offset such as \+08:00/,
    ],
    [
      `format: csv\noffset: '+08:00'\ntime: { column: T, format: epochSeconds }\ncolumns: [${COLUMN}]`,
      /m\.yaml:2: offset: this has no meaning with the format epochSeconds/,
    ],
    ['format: "', /m\.yaml:1: this is not YAML/],
  ] as const)
    assert.match(refusalOf(text), words)
})

test('flags of a column that contradict themselves are named with their place', () => {
  const begin = `format: csv\ntime: { column: T, format: YYYY-MM-DD }\n`
  const target = `sensor: ${SENSOR}, key: strain`
  const withQuality = (quality: string) =>
    `${begin}columns:\n  - { column: Strain, ${target}, quality: ${quality} }`
  const numbered = `format: csv\nheaderRow: 0\ntime: { column: 1, format: YYYY-MM-DD }\ncolumns:\n`
  for (const [text, words] of [
    [withQuality('good'), /m\.yaml:4: columns\[0\]\.quality: expected/],
    [
      withQuality('{ column: Flag, flags: {} }'),
      /quality\.flags: expected at least one flag, or oth/,
    ],
    [
      withQuality('{ column: Strain, flags: { e: bad } }'),
      /quality\.column: this is the column of the val/,
    ],
    [
      withQuality('{ column: Flag, flags: { e: gud } }'),
      /quality\.flags\.e: expected good, uncertain or bad.*, found "gud"/,
    ],
    [
      withQuality('{ column: Flag, flags: { e: bad }, otherwise: gud }'),
      /quality\.otherwise: expected good, uncertain or bad.*, found "gud"/,
    ],
    [withQuality("{ column: Flag, flags: { ' e': bad } }"), /a flag is compared without the bl/],
    [withQuality('{ flags: { 1: good } }'), /quality\.flags.*: this flag could not be told from/],
    [withQuality('{ flags: { E5: bad } }'), /quality\.flags\.E5: this flag could not be told/],
    [
      `${numbered}  - { column: 2, ${target}, quality: { column: Flag, flags: { e: bad } } }`,
      /columns\[0\]\.quality\.column: expected the number of a column/,
    ],
  ] as const)
    assert.match(refusalOf(text), words)

  for (const quality of [
    '{ column: Flag, flags: { 1: good, 3: uncertain, 4: bad } }',
    "{ flags: { e: 'uncertain: estimated', '-': bad, '': good } }",
    '{ column: Flag, flags: {}, otherwise: uncertain }',
    '{ column: Flag }',
  ])
    assert.equal(refusalOf(withQuality(quality)), '', quality)
})
