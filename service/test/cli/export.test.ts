import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parquetReadObjects } from 'hyparquet'
import { exportRecords } from '../../src/cli/export.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { recordText } from '../../src/domain/records/record-text.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { RecordKind, RecordRows, Storage } from '../../src/storage/storage.ts'
import { IDS } from '../_site.ts'
import { fill, workplace, type Workplace } from './_cli.ts'

type Record = [time: number, values: (number | undefined)[]]

/** Records of a source as ingest writes them. */
function rowsOf(
  source: number,
  clock: string,
  keys: readonly string[],
  list: Record[],
): RecordRows {
  const quoted = keys.map((key) => `${JSON.stringify(key)}:`)
  return {
    sources: list.map(() => source),
    times: list.map(([time]) => time),
    records: list.map(([time, values]) => recordText(quoted, values, zone(clock).toLocal(time))),
  }
}

const strains = (source: number, list: Record[]): RecordRows =>
  rowsOf(source, 'Asia/Shanghai', ['strain', 'temperature'], list)

const levels = (list: Record[]): RecordRows => rowsOf(2001, 'Europe/Berlin', ['waterLevel'], list)

const store = (place: Workplace, ...batches: RecordRows[]): Promise<void> =>
  fill(place, async ({ records }) => {
    for (const theme of batches) await records.write({ theme })
  })

/** Every record with its instant. */
async function listRecords(place: Workplace, source: number, kind: RecordKind = 'theme') {
  await using storage: Storage = await openSqlite(join(place.folder, 'data'))
  const span = { kind, source, from: -4e12, to: 4e12 }
  const lists = await Array.fromAsync(storage.records.readLists(span))
  return lists.flatMap(({ times, texts }) =>
    texts.map((text, at) => [times[at], Buffer.from(text).toString()]),
  )
}

const read = (place: Workplace, name: string): Promise<string> =>
  readFile(join(place.folder, name), 'utf8')

const NOON = Date.UTC(2026, 2, 1, 4)
const RANGE = ['--from', '2026-03-01', '--to', '2026-03-02']
const CSV = ['--format', 'csv', '--output', 'out.csv']

describe('export', () => {
  test('writes the records of both days, of sealed ones and open ones, and no others', async () => {
    await using place = await workplace()
    const day = 86_400_000
    const [first, last] = [NOON - day / 2, NOON + 1.5 * day - 1]
    const times = [first - 1, first, NOON, last, last + 1]
    await store(
      place,
      strains(
        1001,
        times.map((time, at) => [time, [at, undefined]]),
      ),
    )
    await place.run(['seal', '--after-days', '0'])
    await store(place, strains(1001, [[NOON + 1000, [2.5, 20]]]))

    const { code, stdout } = await place.run(['export', '--stations', '1001', ...RANGE, ...CSV])

    assert.deepEqual([code, stdout], [0, 'out.csv: 4 records of 1 station.\n'])
    assert.equal(
      await read(place, 'out.csv'),
      `time,instant,strain [µε],temperature [°C]
2026-03-01 00:00:00,2026-03-01T00:00:00.000+08:00,1,
2026-03-01 12:00:00,2026-03-01T12:00:00.000+08:00,2,
2026-03-01 12:00:01,2026-03-01T12:00:01.000+08:00,2.5,20
2026-03-02 23:59:59,2026-03-02T23:59:59.999+08:00,3,
`,
    )
  })

  test('tells records of one second apart by their instants, in each style of time', async () => {
    await using place = await workplace()
    await store(
      place,
      strains(
        1001,
        [0, 1, 250, 999].map((at) => [NOON + at, [at, undefined]]),
      ),
    )
    const run = ['export', '--stations', '1001', ...RANGE, '--format', 'csv', '--output', '-']
    const timesOf = async (flag: string[]) => {
      const { stdout } = await place.run([...run, ...flag])
      return stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',').slice(0, flag.length === 0 ? 2 : 1))
    }

    const ends = ['000', '001', '250', '999']
    assert.deepEqual(
      await timesOf([]),
      ends.map((end) => ['2026-03-01 12:00:00', `2026-03-01T12:00:00.${end}+08:00`]),
    )
    assert.deepEqual(
      await timesOf(['--offset']),
      ends.map((end) => [`2026-03-01T12:00:00.${end}+08:00`]),
    )
    assert.deepEqual(
      await timesOf(['--utc']),
      ends.map((end) => [`2026-03-01T04:00:00.${end}Z`]),
    )
  })

  test('of a structure writes its stations one after the other, each with its name', async () => {
    await using place = await workplace()
    await store(
      place,
      strains(1002, [[NOON, [2, undefined]]]),
      strains(1001, [[NOON, [1, undefined]]]),
      rowsOf(1041, 'Asia/Shanghai', ['temperature'], [[NOON, [280.15]]]),
    )
    const ofBridge = ['export', '--structure', '1', ...RANGE, '--format', 'csv', '--output', '-']

    const { code, stdout, stderr } = await place.run([...ofBridge, '--utc', '--bom'])

    assert.deepEqual([code, stderr], [0, ''])
    const time = '2026-03-01T04:00:00.000Z'
    assert.equal(
      stdout,
      `\uFEFFstation,station name,time,strain [µε],temperature [°C],pv [cm/s2],ppv [cm/s2],trms [cm/s2],temperature [K]
1001,应变-01,${time},1,,,,,
1002,应变-02,${time},2,,,,,
1041,Air,${time},,,,,,280.15
`,
    )
  })

  test('of raw records writes the sensors behind the stations', async () => {
    await using place = await workplace()
    await fill(place, async ({ records, site }) => {
      const key = (await site.load()).sensorKeys.get(IDS.wire)!
      const keys = ['frequency', 'temperature']
      const raw = rowsOf(key, 'Asia/Shanghai', keys, [[NOON, [1500.25, undefined]]])
      await records.write({ raw })
    })
    const raw = ['--kind', 'raw', ...RANGE, ...CSV]

    const one = await place.run(['export', '--stations', '1003', ...raw])
    const none = await place.run(['export', '--stations', '1001', ...raw, '--force'])

    assert.equal(one.stdout, 'out.csv: 1 record of 1 sensor.\n')
    assert.match(await read(place, 'out.csv'), /^time,instant,frequency \[Hz\],.*\n.*,1500\.25,\n$/)
    assert.deepEqual([none.code, none.stderr], [1, 'These stations have no sensors.\n'])
  })

  test('names items that are left out because the site no longer has them', async () => {
    await using place = await workplace()
    const keys = ['strain', 'crack']
    await store(place, rowsOf(1001, 'Asia/Shanghai', keys, [[NOON, [1, 2]]]))

    const { stdout } = await place.run(['export', '--stations', '1001', ...RANGE, ...CSV])

    assert.match(stdout, /\nSkipped items that the site no longer has: crack\.\n$/)
  })

  test('writes a Parquet file that an independent reader understands', async () => {
    await using place = await workplace()
    await store(place, strains(1001, [[NOON + 7, [0.1, undefined]]]))
    const flags = ['--format', 'parquet', '--output', 'out.parquet']

    await place.run(['export', '--stations', '1001', ...RANGE, ...flags])

    const bytes = new Uint8Array(await readFile(join(place.folder, 'out.parquet')))
    assert.deepEqual(await parquetReadObjects({ file: bytes.buffer }), [
      {
        time: '2026-03-01 12:00:00',
        instant: new Date(NOON + 7),
        'strain [µε]': 0.1,
        'temperature [°C]': null,
      },
    ])
  })

  test('refuses an impossible export with an error, and writes nothing', async () => {
    await using place = await workplace()
    await store(place)
    await writeFile(join(place.folder, 'there.csv'), 'mine')
    const stations = ['--stations', '1001']
    const there = ['--format', 'csv', '--output', 'there.csv']
    const cases: [args: string[], code: number, words: RegExp][] = [
      [['--stations', '1001,9,8', ...RANGE, ...CSV], 1, /^There is no station 9, 8; nothing/],
      [['--structure', '9', ...RANGE, ...CSV], 1, /^There is no structure 9\.$/m],
      [['--structure', '3', ...RANGE, ...CSV], 1, /^Structure 3 has no stations\.$/m],
      [[...stations, ...RANGE, ...there], 1, /^there\.csv exists; --force replaces it\.$/m],
      [[...stations, ...RANGE, '--format', 'csv', '--output', '.'], 1, /^\. is a folder\.$/m],
      [[...RANGE, ...CSV], 2, /^export needs either --stations or --structure$/m],
      [
        [...stations, '--from', '2026-02-30', '--to', '2026-03-01', ...CSV],
        2,
        /--from "2026-02-30" is not a valid time/,
      ],
      [
        [...stations, '--from', '2026-03-02', '--to', '2026-03-01', ...CSV],
        2,
        /^--from must not be after --to$/m,
      ],
      [[...stations, '--from', '2026-03-02', ...CSV], 2, /^export needs --to with a time$/m],
      [
        [...stations, ...RANGE, ...CSV, '--decimal-comma', '--delimiter', ','],
        2,
        /the delimiter must not be a comma/,
      ],
      [
        [...stations, ...RANGE, ...CSV, '--delimiter', '-'],
        2,
        /^--delimiter must be one character/,
      ],
      [
        [...stations, ...RANGE, '--format', 'parquet', '--output', 'o', '--bom'],
        2,
        /^--bom needs --format csv$/m,
      ],
      [
        [...stations, ...RANGE, '--format', 'xlsx', '--output', 'o'],
        2,
        /--format csv or --format parquet$/m,
      ],
    ]

    const results = await Promise.all(cases.map(([args]) => place.run(['export', ...args])))

    for (const [at, { code, stderr }] of results.entries()) {
      assert.equal(code, cases[at]![1], stderr)
      assert.match(stderr, cases[at]![2])
    }
    assert.deepEqual((await readdir(place.folder)).toSorted(), ['data', 'there.csv'])
    assert.equal(await read(place, 'there.csv'), 'mine')
  })

  test('leaves no file when it is stopped before its end', async () => {
    await using place = await workplace()
    await store(place, strains(1001, [[NOON, [1, 2]]]))
    const output = join(place.folder, 'out.csv')
    const flags = { stations: '1001', from: '2026-03-01', to: '2026-03-02', format: 'csv', output }

    const stopped = exportRecords.run({
      dataFolder: join(place.folder, 'data'),
      configFile: undefined,
      flags,
      lists: {},
      positionals: [],
      signal: AbortSignal.abort(),
      print: () => assert.fail('nothing was written'),
      printError: () => {},
      output: process.stdout,
    })

    await assert.rejects(stopped, { message: `Stopped; ${output} was not written.` })
    assert.deepEqual(await readdir(place.folder), ['data'])
  })
})

describe('exported records are imported again to the last digit', () => {
  /** The hour that comes twice, milliseconds, and numbers of many forms. */
  const list: Record[] = [
    0.1,
    -1e-7,
    9_007_199_254_740_991,
    5e-324,
    1 / 3,
    12_345_678.9,
    -0.0001,
  ].map((value, at) => [Date.UTC(2024, 9, 26, 23, 30) + at * 1_500_250, [value]])

  const ways: [title: string, flags: string[], mapping: string][] = [
    ['as it is', [], ''],
    ['for spreadsheets', ['--decimal-comma', '--bom'], 'decimalComma: true\ndelimiter: ;\n'],
    ['with tabs', ['--delimiter', 'tab'], 'delimiter: tab\n'],
  ]

  for (const [title, flags, mapping] of ways)
    test(title, async () => {
      await using place = await workplace()
      await using other = await workplace()
      await store(place, levels(list))
      await store(other)
      const range = ['--from', '2024-10-26', '--to', '2024-10-28']
      const output = ['--output', join(other.folder, 'out.csv'), '--format', 'csv', '--utc']
      const text = `format: csv
offset: '+00:00'
time: { column: time, format: YYYY-MM-DDTHH:mm:ss.SSSZ }
columns: [{ column: 'waterLevel [m]', station: 2001, item: waterLevel }]
${mapping}`
      await writeFile(join(other.folder, 'm.yaml'), text)

      const { stderr } = await place.run([
        'export',
        '--stations',
        '2001',
        ...range,
        ...output,
        ...flags,
      ])
      await other.run(['import', 'out.csv', '--mapping', 'm.yaml'])

      assert.equal(stderr, '')
      const before = await listRecords(place, 2001)
      assert.equal(before.length, list.length)
      assert.deepEqual(await listRecords(other, 2001), before)
    })
})
