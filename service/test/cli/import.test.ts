import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { IDS } from '../_site.ts'
import { zip } from '../security/_zip.ts'
import { workplace, wordsOf } from './_cli.ts'
import { CSV, DATA, munich, prepare, recordsOf, rejectsOf, row } from './_import.ts'

describe('import', () => {
  test('stores valid rows, and names and keeps rejected ones', async () => {
    await using place = await workplace()
    await prepare(place, {
      'm.yaml': CSV,
      'day.csv': `Time;S;T
01.03.2024 00:00:00;1.5;20
01.03.2024 00:01:00;2.5
01.03.2024 00:02:00;x;21
31.12.2999 00:00:00;1;2
01.03.2024 00:03:00;3.5;22
01.03.2024 00:0`,
    })

    const { code, stdout, stderr } = await place.run(['import', 'day.csv', '--mapping', 'm.yaml'])

    assert.equal(
      stdout.replace(/clock \([\d :-]{19}\)/, 'clock (NOW)'),
      `day.csv: 6 rows read, 7 values in them; 3 records were stored.
4 rows rejected, in whole or in part:
  1 x the row has 2 columns, expected 3 (line 3)
  1 x column "S": "x" is not a number (line 4)
  1 x the row has 1 column, expected 3 (line 7)
  1 x time 2999-12-31 00:00:00 is more than one day ahead of the service's clock (NOW) (line 5)
Stored as change 1; run "plumbline undo 1" to undo it.
`,
    )
    assert.equal(wordsOf({ stderr }), 'Not all data was stored.\n')
    assert.equal(code, 1)
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [
      '{"strain":1.5,"temperature":20,"time":"2024-03-01 00:00:00"}',
      '{"temperature":21,"time":"2024-03-01 00:02:00"}',
      '{"strain":3.5,"temperature":22,"time":"2024-03-01 00:03:00"}',
    ])
    const kept = await rejectsOf(place)
    assert.deepEqual(kept.map(({ place }) => place).toSorted(), [
      'line 3',
      'line 4',
      'line 5',
      'line 7',
    ])
    assert.deepEqual(
      kept.find(({ place }) => place === 'line 4'),
      {
        origin: 'file day.csv',
        place: 'line 4',
        reason: 'column "S": "x" is not a number',
        line: '01.03.2024 00:02:00;x;21',
      },
    )
  })

  test('of two commands that undo an import at the same time one does, and the other says so', async () => {
    await using place = await workplace()
    const rows = Array.from({ length: 10 }, (_, at) => row(at, 1)).join('')
    await prepare(place, { 'm.yaml': CSV, 'first.csv': `Time;S;T\n${rows}` })
    await place.run(['import', 'first.csv', '--mapping', 'm.yaml'])

    const ends = await Promise.all([1, 2].map(() => place.runProcess(['undo', '1'])))

    assert.deepEqual(ends.map(({ code }) => code).toSorted(), [0, 1])
    const [done, refused] = ends.toSorted((one, other) => Number(one.code) - Number(other.code))
    assert.equal(
      done?.stdout,
      'Undid change 1 (first.csv): 10 records removed, 0 records restored.\n',
    )
    assert.match(wordsOf(refused!), /^Change 1 was already undone[.,]/)
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [])
  })

  test('undo of an import restores what it replaced and leaves other records', async () => {
    await using place = await workplace()
    await prepare(place, {
      'm.yaml': CSV,
      'first.csv': `Time;S;T\n${row(0, 1)}${row(1, 1)}`,
      'second.csv': `Time;S;T\n${row(1, 2)}${row(2, 2)}${row(3, 2)}`,
      'third.csv': `Time;S;T\n${row(3, 3)}`,
    })
    for (const file of ['first', 'second', 'third'])
      await place.run(['import', `${file}.csv`, '--mapping', 'm.yaml'])
    const before = await recordsOf(place, 'theme', 1002)

    const refused = await place.run(['undo', '2'])
    const undone = await place.run(['undo', '2', '--keep'])
    const changes = await place.run(['changes'])
    const dated = await place.json('changes')
    const kept = await place.runProcess(['changes'], { PLUMBLINE_INGEST_KEEP_CHANGES_DAYS: '0' })
    const unknown = await place.run(['undo', '9'])

    assert.deepEqual(strains(before), [1, 2, 2, 3])
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /^Change 3 \(third\.csv\) wrote some of the records of change 2 later\. Undo change 3 first, or keep what it wrote: /,
    )
    assert.equal(
      undone.stdout,
      'Undid change 2 (second.csv): 1 record removed, 1 record restored.\n1 record unchanged, written again since the change.\n',
    )
    assert.deepEqual(strains(await recordsOf(place, 'theme', 1002)), [1, 1, 3])
    assert.match(changes.stdout, /^2 +import +\S+ \S+ UTC +undone +0 +0 +second\.csv$/m)
    assert.match(
      changes.stdout,
      /^3 +import +\S+ \S+ UTC +finished +\S+ \S+ UTC +1 +0 +third\.csv$/m,
    )
    assert.match(kept.stdout, /^3 .+ finished +no limit +1 +0 +third\.csv$/m)
    assert.deepEqual(
      dated.map((change: { startedAt: number; undoUntil: number | null }) =>
        change.undoUntil === null ? null : change.undoUntil - change.startedAt,
      ),
      [90 * 86_400_000, null, 90 * 86_400_000],
    )
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, 'There is no change 9; see "plumbline changes".\n'],
    )
  })

  test('a dry run prints the same and changes nothing', async () => {
    await using place = await workplace()
    await prepare(place, {
      'm.yaml': CSV,
      'day.csv': 'Time;S;T\n01.03.2024 00:00:00;1;2\n01.03.2024;1;2\n31.12.2999 00:00:00;1;2\n',
    })

    const dry = await place.run(['import', 'day.csv', '--mapping', 'm.yaml', '--dry-run'])
    const changes = await place.run(['changes'])

    assert.match(dry.stdout, /3 rows read, 4 values in them; 1 record would be stored\./)
    assert.match(
      dry.stdout,
      /1 x time "01\.03\.2024" does not match the format, for example 31\.01\.2026 13:45:30/,
    )
    assert.match(
      dry.stdout,
      /1 x time 2999-12-31 00:00:00 is more than one day ahead of .* \(line 4\)/,
    )
    assert.match(dry.stdout, /\(dry run: nothing was changed\)\n$/)
    assert.equal(dry.code, 1)
    assert.equal(changes.stdout, 'There are no changes.\n')
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [])
    assert.deepEqual(await rejectsOf(place), [])
  })

  test('without rejected rows it exits with 0, and --change-free leaves no change', async () => {
    await using place = await workplace()
    await prepare(place, { 'm.yaml': CSV, 'day.csv': 'Time;S;T\n01.03.2024 00:00:00;1;2\n' })

    const result = await place.run(['import', 'day.csv', '--mapping', 'm.yaml', '--change-free'])
    const changes = await place.run(['changes', '--json'])

    assert.deepEqual(
      [result.code, result.stdout],
      [0, 'day.csv: 1 row read, 2 values in them; 1 record was stored.\n'],
    )
    assert.equal(changes.stdout, '[]\n')
  })

  test('files that cannot be read leave no change and no security event', async () => {
    await using place = await workplace()
    await prepare(place, { 'm.yaml': CSV })

    const result = await place.run(['import', 'none.csv', '--mapping', 'm.yaml'])
    const changes = await place.run(['changes'])

    assert.deepEqual(result, {
      code: 1,
      stdout: 'none.csv: the file cannot be read: ENOENT.\n',
      stderr: 'Not all data was stored.\n',
    })
    assert.equal(changes.stdout, 'There are no changes.\n')
  })

  test('a file whose header does not fit does not stop the other files', async () => {
    await using place = await workplace()
    await prepare(place, {
      'm.yaml': CSV,
      'old.csv': 'Time;Strain;T\n01.03.2024 00:00:00;1;2\n',
      'new.csv': 'T;S;Time\n2;1;01.03.2024 00:00:00\n',
    })
    const files = ['old.csv', 'none.csv', 'new.csv']

    const { code, stdout } = await place.run(['import', ...files, '--mapping', 'm.yaml'])

    assert.equal(code, 1)
    assert.match(stdout, /^old\.csv: line 1: the header has no column "S"/m)
    assert.match(stdout, /^none\.csv: the file cannot be read: ENOENT\.$/m)
    assert.match(stdout, /^new\.csv: 1 row read/m)
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [
      '{"strain":1,"temperature":2,"time":"2024-03-01 00:00:00"}',
    ])
  })

  test('an unknown sensor is named, and records of known ones are stored and derived', async () => {
    await using place = await workplace()
    const other = IDS.wire.replace(/.$/, 'f')
    await prepare(place, {
      'm.yaml': `format: toa5
offset: '+08:00'
columns:
  - { column: CR23TempC_Avg, sensor: ${other}, key: temperature }
  - { column: BATT_VDC_Avg, sensor: ${IDS.gauge}, key: reading }
`,
    })

    const file = join(DATA, 'toa5', '4-CR3000_Table213.dat')
    const { code, stdout } = await place.run(['import', file, '--mapping', 'm.yaml'])

    assert.equal(code, 1)
    assert.match(stdout, /296 rows read, 592 values in them; 296 records were stored\./)
    assert.match(stdout, /296 x sensor ".*0f" is not known \(lines 5, 6, 7, 8, 9, …\)/)
    const derived = await recordsOf(place, 'theme', 1004)
    assert.equal(derived.length, 296)
    assert.equal(derived[0], '{"strain":26.7,"time":"2009-11-30 22:00:00"}')
  })

  test('members of archives are recognised by their content, not by their names', async () => {
    await using place = await workplace()
    const force = `format: csv
time: { column: Time (-), format: YYYY-MM-DD HH:mm:ss.SSS }
columns: [{ column: FRC-01 (kN), station: 1002, item: strain }]
`
    const swapped = `format: csv
time: { column: Time (-), format: YYYY-DD-MM HH:mm:ss.SSS }
columns: [{ column: 'DMS_AS [um/m]', station: 1003, item: strain }]
`
    const temperature = `format: csv
encoding: latin1
offset: '+02:00'
time: { column: Time (-), format: DD.MM.YYYY HH:mm:ss.SSS }
columns: [{ column: Air Temperature (°C), station: 1002, item: temperature }]
`
    await prepare(place, { 'f.yaml': force, 's.yaml': swapped, 't.yaml': temperature })
    await writeFile(
      join(place.folder, 'outer.zip'),
      zip([
        {
          name: 'inner.zip',
          content: await readFile(munich('TemperatureData2022-04-11.zip')),
          isStored: true,
        },
      ]),
    )
    const all = munich('UniBw_2022-04-11_ref_support_load_01AllM100Hz.csv.zip')

    const results = [
      await place.run([
        'import',
        munich('ReferenceStateForceAt100Hz.csv.zip'),
        '--mapping',
        'f.yaml',
      ]),
      await place.run(['import', all, '--mapping', 's.yaml']),
      await place.run(['import', 'outer.zip', '--mapping', 't.yaml', '--members', '*ref_load*']),
    ]

    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0, 0],
      JSON.stringify(results),
    )
    assert.match(results[0]!.stdout, /ReferenceStateForceAt100Hz\.csv\.zip: 200 rows read/)
    assert.match(
      results[2]!.stdout,
      /^outer\.zip > inner\.zip > UniBw_2022-04-11_ref_load_01\.csv: 120 rows read/,
    )
    assert.doesNotMatch(results[2]!.stdout, /support_load_02/)
    const strain = await recordsOf(place, 'theme', 1003)
    assert.equal(strain[0], '{"strain":-478.429168701172,"time":"2022-04-11 08:36:24"}')
    const air = (await recordsOf(place, 'theme', 1002)).find((record) => record.includes('1.6'))
    assert.equal(air, '{"temperature":1.60000002384186,"time":"2022-04-11 14:36:25"}')
  })

  test('a damaged archive is refused with an error', async () => {
    await using place = await workplace()
    await prepare(place, { 'm.yaml': CSV })
    await writeFile(
      join(place.folder, 'cut.zip'),
      zip([{ name: 'a', content: Buffer.from('Time'), isStored: true }]).subarray(0, 40),
    )

    const { code, stdout } = await place.run(['import', 'cut.zip', '--mapping', 'm.yaml'])

    assert.equal(code, 1)
    assert.match(stdout, /^cut\.zip: .*the archive is damaged/)
  })

  test('converts the unit in a TOA5 header, and refuses one that does not convert until the mapping names it', async () => {
    await using place = await workplace()
    await prepare(place, {
      'm.yaml': toa5Mapping(),
      'named.yaml': toa5Mapping(', unit: °C'),
      'degrees.dat': toa5('Deg F'),
      'volts.dat': toa5('Volts'),
    })

    const degrees = await place.run(['import', 'degrees.dat', '--mapping', 'm.yaml'])
    const converted = await recordsOf(place, 'theme', 1002)
    const volts = await place.run(['import', 'volts.dat', '--mapping', 'm.yaml'])
    const named = await place.run(['import', 'volts.dat', '--mapping', 'named.yaml'])

    assert.deepEqual([degrees.code, volts.code, named.code], [0, 1, 0])
    assert.deepEqual(converted, ['{"temperature":100,"time":"2024-03-01 00:00:00"}'])
    assert.match(
      volts.stdout + volts.stderr,
      /column "Temp": the unit in the header is not that of item temperature: "Volts" does not convert to "°C": one is a unit of voltage, the other of temperature; expected "unit" in the mapping/,
    )
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [
      '{"temperature":212,"time":"2024-03-01 00:00:00"}',
    ])
  })

  test('a wrong mapping or no mapping is refused before anything is read', async () => {
    await using place = await workplace()
    await prepare(place, { 'm.yaml': CSV.replace('column: S', 'colunm: S') })

    const wrong = await place.run(['import', 'day.csv', '--mapping', 'm.yaml'])
    const none = await place.run(['import', 'day.csv', '--mapping', 'n.yaml'])
    const missing = await place.run(['import', 'day.csv'])

    assert.match(wrong.stderr, /^m\.yaml:5: columns\[0\]\.colunm: .*did you mean column\?/)
    assert.equal(none.stderr, 'The mapping file n.yaml cannot be read: ENOENT.\n')
    assert.match(missing.stderr, /^import needs --mapping\nusage: plumbline import/)
    assert.deepEqual([wrong.code, none.code, missing.code], [1, 1, 2])
  })
})

const strains = (records: readonly string[]): number[] =>
  records.map((record) => (JSON.parse(record) as { strain: number }).strain)

/** A TOA5 file of one temperature in a unit. */
const toa5 = (unit: string) =>
  `"TOA5","S","CR6","1","Std","CPU:p.CR6","2","T"\r\n"TIMESTAMP","RECORD","Temp"\r\n"TS","RN","${unit}"\r\n"","","Avg"\r\n"2024-03-01 00:00:00",0,212\r\n`

/** Its mapping, with further keys of the column. */
const toa5Mapping = (unit = '') =>
  `format: toa5\ncolumns: [{ column: Temp, station: 1002, item: temperature${unit} }]\n`
