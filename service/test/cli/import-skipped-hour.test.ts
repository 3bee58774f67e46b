import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { workplace, wordsOf } from './_cli.ts'
import { prepare, recordsOf } from './_import.ts'

const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: L, station: 2001, item: waterLevel }]
`

/** A logger that stays on standard time, on the day on which Berlin skips 02:00 to 03:00. */
const FILE = `Time,L
2024-03-31 01:30:00,11
2024-03-31 02:00:00,12
2024-03-31 02:30:00,13
2024-03-31 03:00:00,14
2024-03-31 03:30:00,15
2024-03-31 04:00:00,16
`

const dueRun = ['import', 'a.csv', '--mapping', 'm.yaml']

const levels = (records: readonly string[]): number[] =>
  records.map((text) => JSON.parse(text).waterLevel as number)

test('rows of the hour that is missing are rejected, and the rows after it are kept', async () => {
  await using place = await workplace()
  await prepare(place, { 'm.yaml': MAPPING, 'a.csv': FILE })

  const dry = await place.run([...dueRun, '--dry-run'])
  const { code, stdout } = await place.run(dueRun)

  assert.equal(dry.code, 1)
  assert.equal(code, 1)
  assert.match(stdout, /6 rows read, 4 values in them; 4 records were stored\./)
  assert.doesNotMatch(stdout, /same time/)
  assert.match(
    stdout,
    /^ {2}2 x time "2024-03-31 02:00:00" does not exist in Europe\/Berlin: give the "offset" of the logger in the mapping \(lines 3, 4\)$/m,
  )
  assert.match(
    stdout,
    /^The logger does not set its clock forward.* Undo this import, give "offset"/m,
  )
  assert.doesNotMatch(dry.stdout, /Undo/)
  assert.deepEqual(levels(await recordsOf(place, 'theme', 2001)), [11, 14, 15, 16])
})

test('`duplicates: refuse` stores the rows that exist', async () => {
  await using place = await workplace()
  await prepare(place, { 'm.yaml': `duplicates: refuse\n${MAPPING}`, 'a.csv': FILE })

  await place.run(dueRun)

  assert.deepEqual(levels(await recordsOf(place, 'theme', 2001)), [11, 14, 15, 16])
})

test('with its offset the file is stored whole', async () => {
  await using place = await workplace()
  await prepare(place, { 'm.yaml': MAPPING, 'a.csv': FILE })
  await place.run(dueRun)
  await place.run(['undo', '--last', '--yes'])
  await writeFile(join(place.folder, 'm.yaml'), `offset: '+01:00'\n${MAPPING}`)

  const result = await place.run(dueRun)

  assert.equal(result.code, 0, wordsOf(result) + result.stdout)
  assert.deepEqual(levels(await recordsOf(place, 'theme', 2001)), [11, 12, 13, 14, 15, 16])
})

test('a row is stored for the structures in whose zone its time exists', async () => {
  await using place = await workplace()
  const columns = `columns:
  - { column: L, station: 2001, item: waterLevel }
  - { column: L, station: 1002, item: strain }
`
  await prepare(place, { 'm.yaml': MAPPING.replace(/columns.*\n/, columns), 'a.csv': FILE })

  const { code } = await place.run(dueRun)

  assert.equal(code, 1)
  assert.equal((await recordsOf(place, 'theme', 2001)).length, 4)
  assert.equal((await recordsOf(place, 'theme', 1002)).length, 6)
})
