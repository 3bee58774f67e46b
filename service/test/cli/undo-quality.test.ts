import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { workplace, type Workplace } from './_cli.ts'
import { prepare } from './_import.ts'

const MAPPING = `format: csv
delimiter: ;
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns:
  - { column: S, station: 1002, item: strain, quality: { column: SQ } }
  - { column: T, station: 1002, item: temperature, quality: { column: TQ } }
`

/** Good, uncertain and bad values, and one record without a good value. */
const OLD = `Time;S;SQ;T;TQ
2024-03-01 00:00:00;1;;20;uncertain: estimated
2024-03-01 00:01:00;2;bad: cable cut;21;
2024-03-01 00:02:00;3;bad;;
2024-03-01 00:03:00;4;;;
`

/** Values beside marked ones, and marks of other values. */
const NEW = `Time;S;SQ;T;TQ
2024-03-01 00:00:00;11;;;
2024-03-01 00:01:00;;;22;
2024-03-01 00:02:00;;;23;bad
2024-03-01 00:03:00;4;uncertain;;
2024-03-01 00:04:00;5;bad;;
`

const WINDOW = ['--from', '2024-03-01', '--to', '2024-03-01']

let exports = 0

async function stored(place: Workplace): Promise<string> {
  const file = `${exports++}.csv`
  const args = ['export', '--stations', '1002', ...WINDOW, '--format', 'csv', '--quality']
  await place.run([...args, '--output', file])
  return readFile(join(place.folder, file), 'utf8')
}

async function imported(): Promise<{ place: Workplace; before: string }> {
  const place = await workplace()
  await prepare(place, { 'm.yaml': MAPPING, 'old.csv': OLD, 'new.csv': NEW })
  await place.run(['import', 'old.csv', '--mapping', 'm.yaml'])
  return { place, before: await stored(place) }
}

test('an import beside marked values is undone with all marks', async () => {
  const { place: opened, before } = await imported()
  await using place = opened

  const { change } = await place.json('import', 'new.csv', '--mapping', 'm.yaml', '--json')
  const between = await stored(place)
  const undone = await place.run(['undo', String(change)])

  assert.notEqual(between, before)
  assert.equal(undone.code, 0, undone.stdout + undone.stderr)
  assert.equal(await stored(place), before)
})

test('records without a good value count as records, are deleted and restored', async () => {
  const { place: opened, before } = await imported()
  await using place = opened
  const args = ['delete', '--station', '1002', ...WINDOW, '--json']

  const counted = await place.json('records', ...args)
  const { change, records } = await place.json('records', ...args, '--yes')
  const between = await stored(place)
  const undone = await place.run(['undo', String(change)])

  assert.equal(counted.records.theme, 4)
  assert.deepEqual(records, counted.records)
  assert.equal(between.split('\n').length, 2)
  assert.equal(undone.code, 0, undone.stdout + undone.stderr)
  assert.equal(await stored(place), before)
})
