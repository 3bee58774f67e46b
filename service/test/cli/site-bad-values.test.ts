import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { workplace, type Workplace } from './_cli.ts'
import { apply, changed, GAUGE, IN_METRES, PIT, pit, RENAMED } from './_meaning.ts'

const MAPPING = `format: csv
delimiter: ;
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns:
  - { column: S, station: 11, item: settling, quality: { column: SQ } }
  - { column: T, station: 11, item: temp, quality: { column: TQ } }
  - { column: R, sensor: ${GAUGE}, key: reading, quality: { column: RQ } }
`

const HEADER = 'Time;S;SQ;T;TQ;R;RQ\n'

/** Two records of station 11 and one of the gauge, all without a good value. */
const BAD = `2026-03-01 00:00:00;1000;bad: cable cut;;;;
2026-03-01 00:01:00;2000;bad;;;7;bad
`

async function store(place: Workplace, rows: string): Promise<void> {
  await writeFile(join(place.folder, 'm.yaml'), MAPPING)
  await writeFile(join(place.folder, 'rows.csv'), HEADER + rows)
  const { code, stdout, stderr } = await place.run(['import', 'rows.csv', '--mapping', 'm.yaml'])
  assert.equal(code, 0, stdout + stderr)
}

/** The pit with the given values only. */
async function pitWith(rows: string): Promise<Workplace> {
  const place = await workplace()
  await apply(place, PIT)
  await store(place, rows)
  return place
}

let exports = 0

/** The records of station 11 in March without their header, bad values among them. */
async function stored(place: Workplace): Promise<string> {
  const file = `${exports++}.csv`
  const window = ['--from', '2026-03-01', '--to', '2026-03-01']
  const args = ['export', '--stations', '11', ...window, '--format', 'csv', '--quality']
  const { code, stderr } = await place.run([...args, '--output', file])
  assert.equal(code, 0, stderr)
  const text = await readFile(join(place.folder, file), 'utf8')
  return text.slice(text.indexOf('\n') + 1)
}

const WITHOUT_SETTLING = changed(/\n +- \{ id: 151.*/, '').replace(
  / {8}thresholds:\n(?: {10}.*\n)+/,
  '',
)

describe('an item of which all stored values are bad', () => {
  test('gets no other unit or key without a flag', async () => {
    await using place = await pitWith(BAD)

    const unit = await apply(place, IN_METRES)
    const key = await apply(place, RENAMED)
    const raw = await apply(place, PIT.replaceAll('unit: mV', 'unit: V'))

    for (const { code } of [unit, key, raw]) assert.equal(code, 1)
    assert.match(unit.stderr, /from "mm" to "m", and 2 stored records of 1 station hold it: add /)
    assert.match(key.stderr, /"settlement", and 2 stored records of 1 station hold "settling"/)
    assert.match(raw.stderr, /from "mV" to "V", and 1 stored record of 1 device holds it: add /)
  })

  test('is converted and renamed, and undo restores its values', async () => {
    await using place = await pitWith(BAD)
    const before = await stored(place)
    const both = RENAMED.replace('unit: mm', 'unit: m')

    const { code, stderr } = await apply(place, both, [
      '--convert',
      '--rename',
      'settling=settlement',
    ])
    const rewritten = await stored(place)
    const undone = await place.run(['undo', '2'])
    await apply(place, PIT, ['--relabel', '--rename', 'settlement=settling'])

    assert.equal(code, 0, stderr)
    assert.match(rewritten, /,1,bad: cable cut,.*\n.*,2,bad,/)
    assert.equal(undone.code, 0, undone.stderr)
    assert.equal(await stored(place), before)
  })

  test('is removed, and comes back, with their number', async () => {
    await using place = await pitWith(BAD)

    const removed = await apply(place, WITHOUT_SETTLING)
    const back = await apply(place, PIT)

    assert.match(
      removed.stdout,
      /^! item settling of factor 15 is removed; 2 stored records of 1 station hold it/m,
    )
    assert.match(back.stdout, /^! item settling .* is new, and 2 stored records of 1 station hold/m)
  })

  test('does not get the key of values that stand beside them', async () => {
    await using place = await pitWith(
      '2026-03-01 00:00:00;1;;4;bad;;\n2026-03-01 00:01:00;2;bad;5;bad;;\n2026-03-01 00:02:00;;;6;bad;;\n',
    )
    const without = changed(/\n +- \{ id: 152.*/, '')
    const onto = without
      .replace('key: settling', 'key: temp')
      .replace('item: settling', 'item: temp')
    await apply(place, without)

    const { code, stderr } = await apply(place, onto, ['--rename', 'settling=temp'])

    assert.equal(code, 1)
    assert.match(stderr, /the key "temp": 2 of its records hold a value of this key already\.\n$/)
  })

  test('is named with the changes that can restore its values', async () => {
    await using place = await pitWith(BAD)
    const window = ['--from', '2026-03-01', '--to', '2026-03-01']
    await place.run(['records', 'delete', '--station', '11', ...window, '--yes'])

    const { stdout } = await apply(place, IN_METRES)

    assert.match(stdout, /^! change 2 can restore records of item settling of factor 15 as they/m)
  })
})

test('bad values count beside good ones, and uncertain ones count once', async () => {
  await using place = await pit()
  await store(place, `${BAD}2026-03-01 00:02:00;3;uncertain;4;;;\n2026-03-01 00:03:00;3;bad;4;;;\n`)

  const { stderr } = await apply(place, IN_METRES)

  assert.match(stderr, /, and 34 stored records of 3 stations hold it: add /)
})

describe('records without a good value', () => {
  const WITHOUT = changed('{ id: 11, name: S-1 }, ', '').replace('[11, 12]', '[12]')

  test('are counted where their station or device is no more in the file', async () => {
    await using place = await pitWith(BAD)

    const station = await apply(place, WITHOUT)
    const device = await apply(place, changed(/ {6}- \{ id: \S+1a01, .*\n/, ''))

    assert.match(station.stderr, /\nstation 11 S-1: 2 records\n$/)
    assert.match(device.stderr, /\ndevice \S+ G-1: 1 raw record\n$/)
  })

  test('are counted beside others before they are deleted', async () => {
    await using place = await pitWith(`${BAD}2026-03-01 00:02:00;3;bad;4;;;\n`)

    const { stdout } = await apply(place, WITHOUT, ['--delete-records', '--dry-run'])

    assert.match(stdout, /^! station 11 S-1: 3 records will be deleted\n/)
  })
})
