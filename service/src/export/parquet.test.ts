import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects, type FileMetaData } from 'hyparquet'
import { runs } from '../../test/_random.ts'
import { zone } from '../domain/time/local-time.ts'
import { layOut, type ExportSource, type TimeStyle } from './columns.ts'
import { writeParquet } from './parquet.ts'
import type { ExportRows } from './read-records.ts'

const source = (id: number, name = `点 ${id}`): ExportSource => ({
  source: id,
  id: String(id),
  name,
  zone: zone('Asia/Shanghai'),
  items: [
    { key: 'strain', unit: 'µε' },
    { key: 'temperature', unit: '°C' },
  ],
})

async function* stream(rows: readonly ExportRows[]): AsyncGenerator<ExportRows> {
  yield* rows
}

async function write(sources: ExportSource[], rows: ExportRows[], times: TimeStyle = 'local') {
  const pieces = await Array.fromAsync(
    writeParquet(layOut({ kind: 'theme', times }, sources), stream(rows)),
  )
  return { pieces, file: new Uint8Array(Buffer.concat(pieces)).buffer }
}

/** The columns and their types in the file. */
const schemaOf = ({ schema }: FileMetaData): unknown[] =>
  schema
    .slice(1)
    .map(({ name, type, logical_type, repetition_type }) => [
      name,
      type,
      logical_type ?? null,
      repetition_type,
    ])

const AT = Date.UTC(2026, 2, 1, 4)
const TEXT = ['BYTE_ARRAY', { type: 'STRING' }, 'REQUIRED']
const INSTANT = ['INT64', { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' }, 'REQUIRED']
const NUMBER = ['DOUBLE', null, 'OPTIONAL']

/** A row as it is read back. */
const row = (id: number, at: number, strain: number | null, temperature: number | null) => ({
  station: String(id),
  'station name': `点 ${id}`,
  time: '2026-03-01 12:00:00',
  instant: new Date(at),
  'strain [µε]': strain,
  'temperature [°C]': temperature,
})

const list = (from: number) => Array.from({ length: 70_000 }, (_, at) => from + at)

const isRight = ({ time, 'strain [µε]': value }: Record<string, any>, at: number): boolean =>
  Number(time) === AT + at * 1000 && value === at / 8

test('an independent reader finds timestamps, doubles and texts', async () => {
  const [first, second] = [source(1), source(2)]
  const rows = [
    {
      source: first,
      rows: [
        { time: AT, values: [0.1, null] },
        { time: AT + 250, values: [null, -3e-300] },
      ],
    },
    { source: second, rows: [{ time: AT, values: [5, 6] }] },
  ]

  const { file } = await write([first, second], rows)

  assert.deepEqual(schemaOf(parquetMetadata(file)), [
    ['station', ...TEXT],
    ['station name', ...TEXT],
    ['time', ...TEXT],
    ['instant', ...INSTANT],
    ['strain [µε]', ...NUMBER],
    ['temperature [°C]', ...NUMBER],
  ])
  assert.deepEqual(await parquetReadObjects({ file }), [
    row(1, AT, 0.1, null),
    row(1, AT + 250, null, -3e-300),
    row(2, AT, 5, 6),
  ])
})

test('in UTC the timestamp is the time, and with an offset a text stands beside it', async () => {
  const sources = [source(1)]
  const rows = sources.map((one) => ({ source: one, rows: [{ time: AT, values: [1, null] }] }))

  const utc = await write(sources, rows, 'utc')
  const offset = await write(sources, rows, 'offset')

  const item = { 'strain [µε]': 1, 'temperature [°C]': null }
  assert.deepEqual(await parquetReadObjects({ file: utc.file }), [{ time: new Date(AT), ...item }])
  assert.deepEqual(await parquetReadObjects({ file: offset.file }), [
    { time: '2026-03-01T12:00:00.000+08:00', instant: new Date(AT), ...item },
  ])
})

test('a file without records has its columns', async () => {
  const { file } = await write([source(1)], [])

  assert.equal(schemaOf(parquetMetadata(file)).length, 4)
  assert.deepEqual(await parquetReadObjects({ file }), [])
})

test('many records come in row groups of bounded size, none of them lost', async () => {
  const only = source(1)
  const rows = [0, 70_000, 140_000].map((from) => ({
    source: only,
    rows: list(from).map((at) => ({ time: AT + at * 1000, values: [at / 8, null] })),
  }))

  const { pieces, file } = await write([only], rows, 'utc')

  const groups = parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))
  assert.deepEqual(groups, [100_000, 100_000, 10_000])
  assert.equal(pieces.length, 4)
  const read = await parquetReadObjects({ file, columns: ['time', 'strain [µε]'] })
  assert.equal(read.length, 210_000)
  assert.ok(read.every(isRight))
})

test('any doubles, absent values and instants are read back unchanged', async () => {
  const value = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))
  const record = fc.record({
    at: fc.integer({ min: -1e13, max: 1e13 }),
    pair: fc.tuple(value, value),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(record), async (records) => {
      const only = source(1)
      const times = records.map(({ at }) => at)
      const values = records.map(({ pair }) => pair)
      const rows = records.map(({ at, pair }) => ({ time: at, values: pair }))

      const { file } = await write([only], [{ source: only, rows }], 'utc')

      const read = await parquetReadObjects({ file })
      assert.deepEqual(
        read.map(({ time }) => Number(time)),
        times,
      )
      const items = read.map((row) => [row['strain [µε]'], row['temperature [°C]']])
      assert.deepEqual(items, values)
    }),
    { numRuns: runs(50) },
  )
})
