import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, test } from 'node:test'
import { readWaveforms } from '../../src/domain/waveforms/read-waveforms.ts'
import { workplace, type Workplace } from './_cli.ts'
import { DATA, inStorage, munich, prepare, recordsOf, rejectsOf } from './_import.ts'

const WAVES = `format: waveform
channels:
  - { channel: 'Chan 1: 360 Deg', station: 1031, scale: 980.665, unit: cm/s² }
`

/** One column, by a mapping that says on which day of March it begins. */
const wavesOf = (day: number): string => `format: waveform
file: CSV
sampleFreq: 100
unit: cm/s2
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
      `CE.V1: 1 waveform of ${size} samples would be stored.\n${left}\n` +
        `  channel "Chan 1: 360 Deg" to station 1031 (A-01): ${size} samples at 200 Hz from 2012-02-14 05:06:45+08:00 (Asia/Shanghai), peak 77.6490547 cm/s²\n` +
        '(dry run: nothing was changed)\n',
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
      (await Array.fromAsync(waveforms.readSamples(batch!))).flatMap((chunk) => [...chunk]),
    )
    assert.deepEqual([batch!.unit, batch!.sampleFreq], ['cm/s²', '200'])
    assert.deepEqual(
      samples,
      Array.from(channel!.samples, (sample) => sample * 980.665),
    )
  })

  test('is undone with station values that a person has marked', async () => {
    await using place = await workplace()
    await prepare(place, { '1.yaml': wavesOf(1), 'old.csv': 'a\n1\n2\n', 'new.csv': 'a\n3\n-4\n' })
    const load = (name: string) => place.run(['import', `${name}.csv`, '--mapping', '1.yaml'])
    await load('old')
    const quality = 'uncertain: works on the deck'
    const window = ['--from', '2026-03-01', '--to', '2026-03-01', '--quality', quality]
    await place.run(['records', 'mark', '--station', '1031', ...window, '--yes'])
    const before = await recordsOf(place, 'theme', 1031)

    await load('new')
    const between = await recordsOf(place, 'theme', 1031)
    const undone = await place.run(['undo', '3'])

    assert.notDeepEqual(between, before)
    assert.equal(
      undone.stdout,
      'Undid change 3 (new.csv): 0 records removed, 1 record and 1 waveform restored.\n',
    )
    assert.deepEqual(await recordsOf(place, 'theme', 1031), before)
  })

  test('is undone: added waveforms are removed, replaced ones restored, and later ones kept', async () => {
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
        'Undid change 1 (new.csv): 0 records removed, 1 record and 1 waveform restored.\n',
        'Undid change 2 (new.csv): 1 record and 1 waveform removed, 0 records restored.\n',
        'Undid change 3 (new.csv): 0 records removed, 0 records restored.\n1 record and 1 waveform unchanged, written again since the change.\n',
        '',
      ],
    )
    assert.equal(again.code, 1)
    assert.match(again.stderr, /^Change 1 was already undone, on \S+ \S+ UTC\.$/m)
    const batches = (await batchesOf(place)).toReversed()
    const samples = await inStorage(place, ({ waveforms }) =>
      Promise.all(
        batches.map(async (batch) =>
          (await Array.fromAsync(waveforms.readSamples(batch))).flatMap((chunk) => [...chunk]),
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

  test('refuses a file whole, keeps its name and reason, and reads the next one', async () => {
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

  test('that stores nothing prints that there is nothing to undo', async () => {
    await using place = await workplace()
    await prepare(place, { 'w.yaml': WAVES })
    await writeFile(join(place.folder, 'none.V1'), 'no waveform')

    const result = await place.run(['import', 'none.V1', '--mapping', 'w.yaml'])

    assert.equal(result.code, 1)
    assert.match(result.stdout, /\nNothing was stored\.\n$/)
    const changes = await place.run(['changes'])
    assert.match(changes.stdout, /^1 +import +\S+ \S+ UTC +finished .* 0 +0 +none\.V1$/m)
  })

  test('reads columns of a CSV file in an archive by the clock of its mapping, in the unit of the station', async () => {
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
      [Date.parse('2022-04-11T08:00:00.500Z'), 'cm/s2'],
    )
  })

  test('is refused with an invalid mapping', async () => {
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
