import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, test } from 'node:test'
import { readWaveforms } from '../../src/domain/waveforms/read-waveforms.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { RecordKind, Reject } from '../../src/storage/storage.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { IDS, SITE } from '../_site.ts'
import { zip } from '../security/_zip.ts'
import { fill, workplace, type Workplace, wordsOf } from './_cli.ts'

const DATA = fileURLToPath(new URL('../data/', import.meta.url))

const CSV = `format: csv
delimiter: ;
time: { column: Time, format: DD.MM.YYYY HH:mm:ss }
columns:
  - { column: S, station: 1002, item: strain }
  - { column: T, station: 1002, item: temperature }
`

async function prepare(place: Workplace, files: Record<string, string> = {}): Promise<void> {
  await fill(place, () => Promise.resolve())
  for (const [name, text] of Object.entries(files)) await writeFile(join(place.folder, name), text)
}

const inStorage = async <Result>(
  place: Workplace,
  look: (storage: Awaited<ReturnType<typeof openSqlite>>) => Promise<Result>,
): Promise<Result> => {
  await using storage = await openSqlite(join(place.folder, 'data'))
  return await look(storage)
}

/** All records of a source, as they are served. */
const recordsOf = (place: Workplace, kind: RecordKind, source: number): Promise<string[]> =>
  inStorage(place, async ({ records }) => {
    const query = { kind, source, from: 0, to: 4e12, shape: 'flat' } as const
    const pieces = await Array.fromAsync(records.read(query))
    const text = Buffer.concat(pieces.flatMap((piece, at) => (at ? [COMMA, piece] : [piece])))
    return JSON.parse(`[${text.toString()}]`).map((record: unknown) => JSON.stringify(record))
  })

const row = (minute: number, value: number): string => `01.03.2024 00:0${minute}:00;${value};\n`

const munich = (name: string): string => join(DATA, 'munich-test-bridge', name)

const NEW_SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1aff'

/** The site with a sensor that it did not have before. */
const withSensor = (site: string): string =>
  site.replace(
    /\n    devices:\n/,
    `$&      - { id: ${NEW_SENSOR}, name: New, kind: sensor, items: [{ key: f, name: F }] }\n`,
  )

const COMMA = Buffer.from(',')

const rejectsOf = (place: Workplace): Promise<Pick<Reject, 'origin' | 'place' | 'reason'>[]> =>
  inStorage(place, async ({ rejects }) =>
    (await rejects.list({ limit: 100 })).map(({ origin, place, reason, payload }) => ({
      origin,
      place,
      reason,
      line: Buffer.from(payload).toString(),
    })),
  )

describe('import', () => {
  test('stores the good rows, names the others and keeps them', async () => {
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
      stdout.replace(/says [\d :-]{19}/, 'says NOW'),
      `day.csv: 6 rows read, 7 values in them; 3 records were stored.
4 rows rejected, in whole or in part:
  1 x it has 2 columns, expected 3 (line 3)
  1 x column "S" holds "x", no number (line 4)
  1 x it has 1 column, expected 3 (line 7)
  1 x time 2999-12-31 00:00:00 lies more than a day ahead: the service's clock says NOW (line 5)
Stored as change 1; run "plumbline undo 1" to undo it.
`,
    )
    assert.equal(wordsOf({ stderr }), 'Some data was rejected.\n')
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
        reason: 'column "S" holds "x", no number',
        line: '01.03.2024 00:02:00;x;21',
      },
    )
  })

  test('an import is undone to what was there before, and only what it did', async () => {
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

    const undone = await place.run(['undo', '2'])
    const changes = await place.run(['changes'])
    const dated = await place.json('changes')
    const kept = await place.runProcess(['changes'], { PLUMBLINE_INGEST_KEEP_CHANGES_DAYS: '0' })
    const unknown = await place.run(['undo', '9'])

    assert.deepEqual(strains(before), [1, 2, 2, 3])
    assert.equal(
      undone.stdout,
      'Undid change 2 (second.csv): 2 records restored.\n1 record unchanged, written again since the change.\n',
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

  test('a dry run says the same and changes nothing', async () => {
    await using place = await workplace()
    await prepare(place, {
      'm.yaml': CSV,
      'day.csv': 'Time;S;T\n01.03.2024 00:00:00;1;2\n01.03.2024;1;2\n31.12.2999 00:00:00;1;2\n',
    })

    const dry = await place.run(['import', 'day.csv', '--mapping', 'm.yaml', '--dry-run'])
    const changes = await place.run(['changes'])

    assert.match(dry.stdout, /3 rows read, 4 values in them; 1 record would be stored\./)
    assert.match(dry.stdout, /1 x its time "01\.03\.2024" is not written as 31\.01\.2026 13:45:30/)
    assert.match(
      dry.stdout,
      /1 x time 2999-12-31 00:00:00 lies more than a day ahead: .* \(line 4\)/,
    )
    assert.match(dry.stdout, /\(dry run: nothing was changed\)\n$/)
    assert.equal(dry.code, 1)
    assert.equal(changes.stdout, 'There are no changes.\n')
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [])
    assert.deepEqual(await rejectsOf(place), [])
  })

  test('refused rows are replayed once the site or the mapping has what was missing', async () => {
    await using place = await workplace()
    await prepare(place, {
      'a.csv': `Time;S;T\n${row(1, 1)}01.03.2024 00:02:00;2;warm\n01.03.2024 00:03:00;3;7\n`,
      'a.yaml': `${CSV}  - { column: S, sensor: ${NEW_SENSOR}, key: f }\n`,
    })
    await place.run(['import', 'a.csv', '--mapping', 'a.yaml'])
    // Station 1002 was corrected since: a replay must leave that alone.
    const time = Date.UTC(2024, 1, 29, 16, 3)
    const record = '{"strain":33,"time":"2024-03-01 00:03:00"}'
    await inStorage(place, ({ records }) =>
      records.write({ theme: { sources: [1002], times: [time], records: [record] } }),
    )

    const early = await place.json('rejects', 'replay', '--all')
    await inStorage(place, (storage) =>
      applySite(storage, { text: withSensor(SITE), fileName: 'site.yaml' }),
    )
    const later = await place.json('rejects', 'replay', '--all')
    await writeFile(
      join(place.folder, 'a.yaml'),
      `${CSV}  - { column: S, sensor: ${NEW_SENSOR}, key: f }\nmissing: [warm]\n`,
    )
    const last = await place.json('rejects', 'replay', '--all')

    assert.deepEqual(
      early.refused.map(({ message }: { message: string }) => message),
      [
        'column "T" holds "warm", no number',
        `sensor "${NEW_SENSOR}" is not known`,
        `sensor "${NEW_SENSOR}" is not known`,
      ],
    )
    assert.equal(later.replayed, 2)
    assert.equal(last.replayed, 1)
    const raw = await inStorage(place, async (storage) => {
      const { sensors } = await openCatalogue(storage.site)()
      return sensors.get(NEW_SENSOR)!.key
    })
    assert.deepEqual(await recordsOf(place, 'raw', raw), [
      '{"f":1,"time":"2024-03-01 00:01:00"}',
      '{"f":2,"time":"2024-03-01 00:02:00"}',
      '{"f":3,"time":"2024-03-01 00:03:00"}',
    ])
    assert.equal((await recordsOf(place, 'theme', 1002)).at(-1), record)
    assert.deepEqual(await rejectsOf(place), [])
  })

  test('a refused row stays, with a sentence, when its mapping is gone or it was cut', async () => {
    await using place = await workplace()
    const long = `01.03.2024 00:02:00;${'1'.repeat(1_100_000)};\n`
    await prepare(place, { 'a.csv': `Time;S;T\n01.03.2024 00:01:00;x;\n${long}`, 'a.yaml': CSV })
    await place.run(['import', 'a.csv', '--mapping', 'a.yaml'])
    await rm(join(place.folder, 'a.yaml'))

    const { refused } = await place.json('rejects', 'replay', '--all')

    assert.deepEqual(
      refused.map(({ message }: { message: string }) => message),
      [
        `the mapping file ${join(place.folder, 'a.yaml')} cannot be read: ENOENT`,
        'only the beginning of the line was kept',
      ],
    )
  })

  test('a row that was refused as a repetition is not replayed over the earlier one', async () => {
    await using place = await workplace()
    await prepare(place, {
      'a.csv': `Time;S;T\n${row(1, 1)}${row(1, 2)}`,
      'a.yaml': `${CSV}duplicates: refuse\n`,
    })
    await place.run(['import', 'a.csv', '--mapping', 'a.yaml'])

    const { refused } = await place.json('rejects', 'replay', '--all')

    assert.equal(refused[0].message, 'an earlier row has the same time')
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [
      '{"strain":1,"time":"2024-03-01 00:01:00"}',
    ])
  })

  test('without refused rows it ends with 0, and change-free leaves nothing to undo', async () => {
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

  test('a file whose header does not fit keeps no other file from being read', async () => {
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

  test('an unknown sensor is named; what the known ones measured is stored and derived', async () => {
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

  test('archives are looked into, whatever the names of their members say', async () => {
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

  test('a damaged archive is refused in words', async () => {
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

const WAVES = `format: waveform
channels:
  - { channel: 'Chan 1: 360 Deg', station: 1031, scale: 980.665, unit: cm/s² }
`

/** One column, by a mapping that says on which day of March it begins. */
const wavesOf = (day: number): string => `format: waveform
file: CSV
sampleFreq: 100
unit: g
start: '2026-03-0${day} 12:00:00'
csv: { columns: [a] }
channels: [{ channel: a, station: 1031 }]
`

const waveFile = (name: string) =>
  readFile(join(DATA, 'vibration-formats', name)).then((bytes) => gunzipSync(bytes))

const batchesOf = (place: Workplace) =>
  inStorage(place, ({ waveforms }) =>
    waveforms.list({ station: 1031, from: 0, to: 4e12, limit: 100 }),
  )

describe('import of waveforms', () => {
  test('stores the channels that are mapped, multiplied, and names the others', async () => {
    await using place = await workplace()
    await prepare(place, { 'w.yaml': WAVES })
    await writeFile(join(place.folder, 'CE.V1'), await waveFile('CE89146.V1.gz'))

    const dry = await place.run(['import', 'CE.V1', '--mapping', 'w.yaml', '--dry-run'])
    const before = await batchesOf(place)
    const first = await place.run(['import', 'CE.V1', '--mapping', 'w.yaml'])
    const again = await place.run(['import', 'CE.V1', '--mapping', 'w.yaml'])

    const left = '2 channels left out: "Chan 2: Up", "Chan 3: 90 Deg".'
    const [batch] = await batchesOf(place)
    const size = batch!.count.toLocaleString('en')
    assert.equal(
      dry.stdout,
      `CE.V1: 1 waveform of ${size} samples would be stored.\n${left}\n(dry run: nothing was changed)\n`,
    )
    assert.deepEqual(before, [])
    assert.equal(
      first.stdout,
      `CE.V1: 1 waveform of ${size} samples was stored.\n${left}\nStored as change 1; run "plumbline undo 1" to undo it.\n`,
    )
    assert.match(again.stdout, /was stored, 1 in place of earlier ones\./)
    assert.deepEqual([dry.code, first.code, again.code], [0, 0, 0])
    const [channel] = readWaveforms(await waveFile('CE89146.V1.gz'))
    const samples = await inStorage(place, async ({ waveforms }) =>
      (await Array.fromAsync(waveforms.readSamples(batch!))).flatMap((piece) => [...piece]),
    )
    assert.deepEqual([batch!.unit, batch!.sampleFreq], ['cm/s²', '200'])
    assert.deepEqual(
      samples,
      Array.from(channel!.samples, (sample) => sample * 980.665),
    )
  })

  test('is undone: what it added goes, what it replaced comes back, what was sent since stays', async () => {
    await using place = await workplace()
    await prepare(place, Object.fromEntries([1, 2, 3].map((day) => [`${day}.yaml`, wavesOf(day)])))
    for (const [name, samples] of Object.entries({ old: '1\n2', new: '3\n-4', later: '5\n6' }))
      await writeFile(join(place.folder, `${name}.csv`), `a\n${samples}\n`)
    const load = async (name: string, day: number, ...flags: string[]) => {
      const done = await place.run(['import', `${name}.csv`, '--mapping', `${day}.yaml`, ...flags])
      assert.equal(done.code, 0, done.stderr)
    }
    await load('old', 1, '--change-free')
    await load('new', 1)
    await load('new', 2)
    await load('new', 3)
    await load('later', 3, '--change-free')

    const listed = await place.run(['changes'])
    const undone = await Promise.all(['1', '2', '3'].map((id) => place.run(['undo', id])))
    const again = await place.run(['undo', '1'])

    assert.match(listed.stdout, /^3 +import +\S+ \S+ UTC +finished +\S+ \S+ UTC +1 +1 +new\.csv$/m)
    assert.deepEqual(
      [...undone, again].map(({ stdout }) => stdout),
      [
        'Undid change 1 (new.csv): 1 record and 1 waveform restored.\n',
        'Undid change 2 (new.csv): 1 record and 1 waveform restored.\n',
        'Undid change 3 (new.csv): 0 records restored.\n1 record and 1 waveform unchanged, written again since the change.\n',
        'Undid change 1 (new.csv): 0 records restored.\n',
      ],
    )
    const batches = (await batchesOf(place)).toReversed()
    const samples = await inStorage(place, ({ waveforms }) =>
      Promise.all(
        batches.map(async (batch) =>
          (await Array.fromAsync(waveforms.readSamples(batch))).flatMap((piece) => [...piece]),
        ),
      ),
    )
    assert.deepEqual(samples, [
      [1, 2],
      [5, 6],
    ])
    const peaks = (await recordsOf(place, 'theme', 1031)).map((record) => JSON.parse(record).pv)
    assert.deepEqual(peaks, [2, 6])
  })

  test('refuses a file whole, keeps its name and reason, and goes on with the next', async () => {
    await using place = await workplace()
    await prepare(place, { 'w.yaml': WAVES })
    const whole = await waveFile('CE89146.V1.gz')
    await writeFile(join(place.folder, 'cut.V1'), whole.subarray(0, -500))
    await writeFile(join(place.folder, 'whole.V1'), whole)

    const result = await place.run(['import', 'cut.V1', 'whole.V1', '--mapping', 'w.yaml'])

    assert.equal(result.code, 1)
    assert.match(result.stdout, /^cut\.V1: line \d+/m)
    assert.match(result.stdout, /^whole\.V1: 1 waveform of /m)
    assert.equal((await batchesOf(place)).length, 1)
    const [kept, ...others] = await rejectsOf(place)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [kept!.origin, kept!.place, (kept as { line?: string }).line],
      ['file cut.V1', 'the whole file', 'cut.V1'],
    )
    assert.match(kept!.reason, /^line \d+/)
  })

  test('of which nothing is stored says that there is nothing to undo', async () => {
    await using place = await workplace()
    await prepare(place, { 'w.yaml': WAVES })
    await writeFile(join(place.folder, 'none.V1'), 'no waveform')

    const result = await place.run(['import', 'none.V1', '--mapping', 'w.yaml'])

    assert.equal(result.code, 1)
    assert.match(result.stdout, /\nNothing was stored\.\n$/)
    const changes = await place.run(['changes'])
    assert.match(changes.stdout, /^1 +import +\S+ \S+ UTC +finished .* 0 +0 +none\.V1$/m)
  })

  test('reads columns of a CSV file in an archive by the clock of its mapping', async () => {
    await using place = await workplace()
    await prepare(place, {
      'w.yaml': `format: waveform
file: CSV
start: '2022-04-11 10:00:00.5'
offset: '+02:00'
sampleFreq: 100
csv: { columns: ['ACC01_z [g]'] }
channels: [{ channel: ACC01_z, station: 1031 }]
`,
    })
    const file = munich('UniBw_2022-04-11_ref_support_load_01AllM100Hz.csv.zip')

    const result = await place.run(['import', file, '--mapping', 'w.yaml'])

    assert.match(result.stdout, / > \S+\.csv\.zip: 1 waveform of 200 samples was stored\.$/m)
    const [batch] = await batchesOf(place)
    assert.deepEqual(
      [batch!.trigger.time, batch!.unit],
      [Date.parse('2022-04-11T08:00:00.500Z'), 'g'],
    )
  })

  test('is refused with a mapping that has anything wrong in it', async () => {
    await using place = await workplace()
    await prepare(place, {
      'w.yaml': 'format: waveform\nfile: MP3\nchannels: [{ channel: a, sensor: 7 }]\n',
    })

    const { code, stderr } = await place.run(['import', 'x.wav', '--mapping', 'w.yaml'])

    assert.equal(code, 1)
    assert.match(stderr, /w\.yaml:2: file: expected/)
    assert.match(stderr, /w\.yaml:3: .*station is missing/)
  })
})
