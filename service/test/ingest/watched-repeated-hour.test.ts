import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { watched, type Watched } from './_watched.ts'

const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: L, station: 2001, item: waterLevel }]
`

/** A row of Berlin on the day on which 02:00 to 03:00 comes twice. */
const row = (clock: string): string => `2024-10-27 ${clock}:00,1\n`

/** The UTC clocks of the stored records. */
async function clocksOf({ service }: Watched): Promise<string[]> {
  const span = { kind: 'theme', source: 2001, from: 0, to: 4e12 } as const
  const lists = await Array.fromAsync(service.storage.records.readLists(span))
  return lists.flatMap(({ times }) =>
    Array.from(times, (time) => new Date(time).toISOString().slice(11, 16)),
  )
}

const OLD = { 'ingest.earliestTime': '2000-01-01T00:00:00Z' }

test('a watched file is read on in the middle of the repeated hour, over restarts', async () => {
  await using place = await watched({ mapping: MAPPING, settings: OLD })
  await writeFile(place.path('a.csv'), `Time,L\n${row('01:50')}${row('02:00')}${row('02:50')}`)
  await place.start()
  await place.until(() => clocksOf(place), ['23:50', '00:00', '00:50'])

  await place.restart()
  await appendFile(place.path('a.csv'), row('02:00'))
  await place.until(() => clocksOf(place), ['23:50', '00:00', '00:50', '01:00'])
  await place.restart()
  await appendFile(place.path('a.csv'), `${row('02:10')}${row('03:00')}`)

  const all = ['23:50', '00:00', '00:50', '01:00', '01:10', '02:00']
  await place.until(() => clocksOf(place), all)
  assert.equal(place.logged('occurs twice'), 0)
})

test('a row behind a last line without a line break is of the pass of that line', async () => {
  await using place = await watched({ mapping: MAPPING, settings: OLD, fileIdleSeconds: 0.2 })
  const begin = `Time,L\n${row('02:10')}${row('02:20')}${row('02:00').trimEnd()}`
  await writeFile(place.path('a.csv'), begin)
  await place.start()
  await place.until(() => clocksOf(place), ['00:10', '00:20', '01:00'])

  await appendFile(place.path('a.csv'), `\n${row('02:30')}${row('03:00')}`)

  await place.until(() => clocksOf(place), ['00:10', '00:20', '01:00', '01:30', '02:00'])
  assert.equal(place.logged('occurs twice'), 0)
})

test('a watched file with one pass of the hour is named once in the log', async () => {
  await using place = await watched({ mapping: MAPPING, settings: OLD })
  await writeFile(place.path('a.csv'), `Time,L\n${row('02:40')}${row('02:50')}${row('03:00')}`)
  await place.start()

  await place.until(() => clocksOf(place), ['00:40', '00:50', '02:00'])
  await place.until(() => place.logged('a.csv: 2 rows from line 2 on lie between'), 1)
})
