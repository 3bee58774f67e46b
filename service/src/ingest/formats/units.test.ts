import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { zone } from '../../domain/time/local-time.ts'
import { column, CSV, HEADER, readAll, rejectedIn, shown, TOA5 } from './_read.ts'
import { readMapping } from './mapping.ts'
import { readRow } from './read-rows.ts'

const ITEM_UNITS: Readonly<Record<string, string>> = { x: 'µε', y: '°C' }
const unitOf = (_target: unknown, key: string) => ITEM_UNITS[key]

const row = (minute: number, x: number | string, y: number | string) =>
  `"2026-01-31 13:4${minute}:00",0,${x},${y}\r\n`
const headerWith = (x: string, y: string) => HEADER.replace('"um/m","C"', `"${x}","${y}"`)
const withKeys = (mapping: string, key: string, keys: string) =>
  mapping.replace(`key: ${key} }`, `key: ${key}, ${keys} }`)

describe('a unit in the header of a TOA5 file', () => {
  test('that is a spelling of that of the item leaves values as they are', async () => {
    const batches = await readAll(`${headerWith('um/m', 'Deg C')}${row(5, 1.5, 20)}`, TOA5, {
      unitOf,
    })

    assert.deepEqual(shown(batches), ['2026-01-31T13:45:00.000Z x=1.5 y=20'])
  })

  test('of the same kind converts values', async () => {
    const batches = await readAll(`${headerWith('µε', 'degF')}${row(5, 1.5, 212)}`, TOA5, {
      unitOf,
    })

    assert.deepEqual(shown(batches), ['2026-01-31T13:45:00.000Z x=1.5 y=100'])
  })

  test('that is empty, or of an item without a unit, is not compared', async () => {
    const empty = await readAll(`${headerWith('', '')}${row(5, 1, 2)}`, TOA5, { unitOf })
    const bare = await readAll(`${headerWith('a', 'b')}${row(5, 1, 2)}`, TOA5, {
      unitOf: () => '',
    })

    for (const batches of [empty, bare])
      assert.deepEqual(shown(batches), ['2026-01-31T13:45:00.000Z x=1 y=2'])
  })

  test('that does not convert refuses the file and names both units', async () => {
    await assert.rejects(
      readAll(`${headerWith('digits', '°C')}${row(5, 1, 2)}`, TOA5, { unitOf }),
      /^RefusedError: column "Strain": the unit in the header is not that of item x: "digits" does not convert to "µε"; expected "unit" in the mapping/,
    )
  })

  test('is overruled by the unit of the mapping', async () => {
    const mapping = withKeys(withKeys(TOA5, 'x', 'unit: µε'), 'y', 'unit: K')

    const batches = await readAll(`${headerWith('digits', 'Volts')}${row(5, 7, 273.15)}`, mapping, {
      unitOf,
    })

    assert.deepEqual(shown(batches), ['2026-01-31T13:45:00.000Z x=7 y=0'])
  })

  test('does not apply to a value that the mapping scales', async () => {
    const mapping = withKeys(TOA5, 'x', 'scale: 0.5')

    const batches = await readAll(`${headerWith('digits', '°C')}${row(5, 7, 1)}`, mapping, {
      unitOf,
    })

    assert.deepEqual(shown(batches), ['2026-01-31T13:45:00.000Z x=3.5 y=1'])
  })

  test('of a later header that does not convert rejects the rows below it', async () => {
    const text = `${headerWith('µε', '°F')}${row(5, 1, 32)}${headerWith('digits', '°C')}${row(6, 2, 2)}${headerWith('µε', '°C')}${row(7, 3, 3)}`

    const batches = await readAll(text, TOA5, { unitOf })

    assert.deepEqual(shown(batches), [
      '2026-01-31T13:45:00.000Z x=1 y=0',
      '2026-01-31T13:47:00.000Z x=3 y=3',
    ])
    const [rejected = ''] = rejectedIn(batches)
    assert.match(
      rejected,
      /^10: it follows a header that does not fit: column "Strain": .*"digits"/,
    )
  })

  test('applies to a row that is read again with its header', async () => {
    const batches = await readAll(`${headerWith('µε', '°F')}${row(5, 1, 'x')}`, TOA5, { unitOf })
    const header = batches.flatMap(({ headers }) => headers).at(-1)?.text
    const options = { mapping: readMapping(TOA5, 'm.yaml'), zoneOf: () => zone('UTC'), unitOf }

    const again = readRow(row(5, 1, 212).trim(), header, options)

    assert.deepEqual(again.raw[0]?.values['y'], 100)
  })
})

describe('the unit of a column in a mapping', () => {
  const MAPPING = withKeys(CSV, 'y', 'scale: 0.1, unit: °F')

  test('is that of the value after its scale, in a file whose header names none', async () => {
    const batches = await readAll('Time;a;b\n2026-01-31 13:45:00;1;2120\n', MAPPING, { unitOf })

    assert.deepEqual(shown(batches), ['2026-01-31T13:45:00.000Z x=1 y=100'])
  })

  test('refuses the file where it does not convert', async () => {
    const mapping = `format: csv\nheaderRow: 0\ntime: { column: 1, format: epochSeconds }\ncolumns:\n${withKeys(column(2, 'y'), 'y', 'unit: bar')}`

    await assert.rejects(
      readAll('1,2\n', mapping, { unitOf }),
      /column 2: the unit in the mapping is not that of item y: "bar" does not convert to "°C": one is a unit of pressure, the other of temperature/,
    )
  })

  test('is not empty', () => {
    assert.throws(
      () => readMapping(withKeys(CSV, 'y', "unit: ''"), 'm.yaml'),
      /m\.yaml:\d+: columns\[1\]\.unit/,
    )
  })
})
