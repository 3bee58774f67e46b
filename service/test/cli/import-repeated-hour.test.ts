import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { workplace, wordsOf, type Workplace } from './_cli.ts'
import { inStorage, prepare } from './_import.ts'

const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: L, station: 2001, item: waterLevel }]
`

/** A file of Berlin on the day on which 02:00 to 03:00 comes twice. */
const fileOf = (rows: readonly [clock: string, level: number | string][]): string =>
  `Time,L\n${rows.map(([clock, level]) => `2024-10-27 ${clock}:00,${level}\n`).join('')}`

const dueRun = ['import', 'a.csv', '--mapping', 'm.yaml']

async function importRows(place: Workplace, rows: Parameters<typeof fileOf>[0], mapping = MAPPING) {
  await prepare(place, { 'm.yaml': mapping, 'a.csv': fileOf(rows) })
  return place.run(dueRun)
}

/** The UTC clocks of the stored records. */
const clocksOf = (place: Workplace): Promise<string[]> =>
  inStorage(place, async ({ records }) => {
    const span = { kind: 'theme', source: 2001, from: 0, to: 4e12 } as const
    const lists = await Array.fromAsync(records.readLists(span))
    return lists.flatMap(({ times }) =>
      Array.from(times, (time) => new Date(time).toISOString().slice(11, 16)),
    )
  })

test('rows that fall back within the repeated hour are of its second pass', async () => {
  await using place = await workplace()

  const { code, stdout } = await importRows(place, [
    ['02:50', 1],
    ['02:00', 2],
    ['02:10', 3],
    ['02:50', 4],
    ['03:00', 5],
  ])

  assert.equal(code, 0, stdout)
  assert.doesNotMatch(stdout, /same time|occurs twice/)
  assert.deepEqual(await clocksOf(place), ['00:50', '01:00', '01:10', '01:50', '02:00'])
})

test('an hour of one pass is stored as the earlier one, is named, and ends the command with 1', async () => {
  await using place = await workplace()

  const result = await importRows(place, [
    ['01:50', 1],
    ['02:00', 2],
    ['02:10', 3],
    ['03:00', 4],
  ])
  const dry = await place.run([...dueRun, '--dry-run'])
  await writeFile(join(place.folder, 'm.yaml'), `offset: '+01:00'\n${MAPPING}`)
  const fixed = await place.run(dueRun)

  assert.equal(result.code, 1)
  assert.match(
    result.stdout,
    /^2 rows from line 3 on lie between 2024-10-27 02:00:00 and 03:00:00, which occurs twice in Europe\/Berlin; there is only one pass, which counts as the earlier one\.\nIf the logger does not change its clock, give its "offset" in the mapping\.$/m,
  )
  assert.equal(wordsOf(result), 'The time of some rows is ambiguous; see the output.\n')
  assert.equal(dry.code, 1)
  assert.equal(fixed.code, 0, fixed.stdout)
  // The earlier pass of the first import, and what the logger really meant.
  const passes = ['23:50', '00:00', '00:10', '00:50', '01:00', '01:10', '02:00']
  assert.deepEqual(await clocksOf(place), passes)
})

test('a file that ends within its only pass of the hour is ambiguous too', async () => {
  await using place = await workplace()

  const { code, stdout } = await importRows(place, [
    ['01:50', 1],
    ['02:10', 2],
  ])

  assert.equal(code, 1)
  assert.match(stdout, /^1 row from line 3 on lies between 2024-10-27 02:00:00 and 03:00:00/m)
})

test('a rejected row of the second pass is replayed as one', async () => {
  await using place = await workplace()
  await prepare(place, {
    'm.yaml': MAPPING,
    'a.csv': 'Time,L,M\n2024-10-27 02:50:00,1,1\n2024-10-27 02:00:00,ice,7\n',
  })
  await place.run(dueRun)
  await writeFile(join(place.folder, 'm.yaml'), MAPPING.replace('column: L', 'column: M'))

  const { replayed } = await place.json('rejects', 'replay', '--all')

  assert.equal(replayed, 1)
  assert.deepEqual(await clocksOf(place), ['00:50', '01:00'])
})
