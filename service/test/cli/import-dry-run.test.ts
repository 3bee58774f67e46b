import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IDS } from '../_site.ts'
import { workplace } from './_cli.ts'
import { CSV, munich, prepare, recordsOf, row } from './_import.ts'

const dryRun = (mapping: string, file: string) => [
  'import',
  file,
  '--mapping',
  mapping,
  '--dry-run',
]

test('a dry run shows times and values, and what would become of stored ones, of each station and sensor', async () => {
  await using place = await workplace()
  await prepare(place, {
    'm.yaml': `${CSV}  - { column: S, sensor: ${IDS.wire}, key: frequency, scale: 10 }\n`,
    'old.csv': `Time;S;T\n${row(1, 7)}${row(2, 7)}${row(9, 7)}`,
    'day.csv': `Time;S;T
01.03.2024 00:00:00;1.5;20
01.03.2024 00:01:00;-2.5;
01.03.2024 00:02:00;;21
01.03.2024 00:02:00;;22
31.12.2999 00:00:00;99;99
`,
  })
  await place.run(['import', 'old.csv', '--mapping', 'm.yaml'])
  const before = await recordsOf(place, 'theme', 1002)

  const { stdout } = await place.run(dryRun('m.yaml', 'day.csv'))

  assert.match(
    stdout,
    /^ {2}station 1002 \(应变-02\): 4 records from 2024-03-01 00:00:00\+08:00 to 2024-03-01 00:02:00\+08:00 \(Asia\/Shanghai\); 2 stored records are met: 1 value would change, 1 be added\n {4}strain: -2\.5 to 1\.5 µε\n {4}temperature: 20 to 22 °C$/m,
  )
  assert.match(
    stdout,
    new RegExp(
      `^ {2}sensor ${IDS.wire} \\(VW-01\\): 2 records from 2024-03-01 00:00:00\\+08:00 to 2024-03-01 00:01:00\\+08:00 \\(Asia/Shanghai\\); 1 stored record is met: 1 value would change\\n {4}frequency: -25 to 15 Hz$`,
      'm',
    ),
  )
  assert.deepEqual(await recordsOf(place, 'theme', 1002), before)
})

test('a dry run counts uncertain and bad values, and leaves bad ones out of the range', async () => {
  await using place = await workplace()
  const flags = "flags: { A: good, P: good, e: 'uncertain: estimated', '-': bad }"
  await prepare(place, {
    'm.yaml': `format: csv
delimiter: ;
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns:
  - { column: S, station: 1002, item: strain, quality: { column: Flag, ${flags} } }
  - { column: T, station: 1002, item: temperature, quality: { ${flags} } }
`,
    'day.csv': `Time;S;Flag;T
2024-03-01 00:00:00;1.5;A;20-
2024-03-01 00:01:00;2.5;A:e;-99 -
2024-03-01 00:02:00;-999;-;
2024-03-01 00:03:00;3.5;Ice;
`,
  })

  const { code, stdout } = await place.run(dryRun('m.yaml', 'day.csv'))

  assert.equal(code, 1)
  assert.match(
    stdout,
    /\n {4}strain: 1\.5 to 2\.5 µε, 1 uncertain, 1 bad\n {4}temperature: 2 bad$/m,
  )
  assert.match(
    stdout,
    /1 x column "Flag": the flag "Ice" is not among the flags of the mapping \(line 5\)$/m,
  )
})

test('day and month that are swapped are seen by the first and the last time', async () => {
  await using place = await workplace()
  await prepare(place, {
    's.yaml': `format: csv
time: { column: Time (-), format: YYYY-MM-DD HH:mm:ss.SSS }
columns: [{ column: 'DMS_AS [um/m]', station: 1003, item: strain }]
`,
  })
  const file = munich('UniBw_2022-04-11_ref_support_load_01AllM100Hz.csv.zip')

  const { code, stdout } = await place.run(dryRun('s.yaml', file))

  assert.equal(code, 0, stdout)
  assert.match(
    stdout,
    /^ {2}station 1003 \(应变-03\): \d+ records from 2022-11-04 08:36:24\.\d+\+08:00 to .* \(Asia\/Shanghai\); no stored record is met$/m,
  )
})

test('stored records that rows jump between are counted, in whatever order the rows are', async () => {
  await using place = await workplace()
  const days = Array.from({ length: 12 }, (_, month) => `2024-${pad(month + 1)}-05 10:00:00;1\n`)
  await prepare(place, {
    'm.yaml': `format: csv
delimiter: ;
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: S, station: 1002, item: strain }]
`,
    'a.csv': `Time;S\n${days.join('')}`,
    'b.csv': `Time;S\n${days.toReversed().join('')}2023-01-01 00:00:00;1\n`,
  })
  await place.run(['import', 'a.csv', '--mapping', 'm.yaml'])

  const { stdout } = await place.run(dryRun('m.yaml', 'b.csv'))

  assert.match(
    stdout,
    /13 records from 2023-01-01 .*; 12 stored records are met: no value would change$/m,
  )
})

test('a dry run counts what replacing whole would add and remove, marked values too', async () => {
  await using place = await workplace()
  const columns = `columns:
  - { column: S, station: 1002, item: strain, quality: { flags: { '-': bad } } }
  - { column: T, station: 1002, item: temperature }
`
  await prepare(place, {
    'm.yaml': `${CSV.slice(0, CSV.indexOf('columns:'))}${columns}`,
    'old.csv': `Time;S;T
01.03.2024 00:00:00;1;20
01.03.2024 00:01:00;2-;
`,
    'new.csv': `Time;S;T
01.03.2024 00:00:00;1-;
01.03.2024 00:01:00;;21
01.03.2024 00:02:00;3;23
`,
  })
  await place.run(['import', 'old.csv', '--mapping', 'm.yaml'])

  const merged = await place.run(dryRun('m.yaml', 'new.csv'))
  const whole = await place.run([...dryRun('m.yaml', 'new.csv'), '--replace', 'whole'])

  assert.match(merged.stdout, /2 stored records are met: 1 value would change, 1 be added$/m)
  const expected = /2 stored records are met: 1 value would change, 1 be added, 2 be removed$/m
  assert.match(whole.stdout, expected)
})

const pad = (number: number): string => String(number).padStart(2, '0')
