import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { convertValue, findConversion } from '../../src/domain/units/units.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { eventually } from '../_eventually.ts'
import { runs } from '../_random.ts'
import { inDatabase } from '../_sealed.ts'
import { newPlace, readRecords } from '../storage/_place.ts'
import { workplace } from './_cli.ts'
import { abortsAfter, PIT, START, textAt } from './_meaning.ts'

const HOUR = 3_600_000
const STATION = 11
const FAHRENHEIT = PIT.replace("unit: '°C'", 'unit: degF')
const conversion = findConversion('°C', '°F')
assert.ok(typeof conversion === 'object')

const value = fc.oneof(
  fc.double({ noNaN: true, min: -300, max: 300 }),
  fc.constantFrom(0, -40, 1e-7, -0.1),
)
/** By the hour of the record. */
const values = fc.dictionary(
  fc.integer({ min: 0, max: 100 }).map(String),
  fc.record({ temp: fc.option(value, { nil: undefined }), settling: value }),
  { minKeys: 1, maxKeys: 30 },
)

type Step = { do: 'rewrite' | 'undo'; pages: number }
const steps = fc.array(
  fc.record({ do: fc.constantFrom('rewrite', 'undo'), pages: fc.nat(3) }) as fc.Arbitrary<Step>,
  { maxLength: 5 },
)

const rewrite = (storage: Storage, pages: number): Promise<unknown> =>
  applySite(
    storage,
    { text: FAHRENHEIT, fileName: 'site.yaml' },
    { meaning: { units: 'convert' }, signal: abortsAfter(pages) },
  ).catch((error) => assert.match(String(error), /^RefusedError: Stopped/))

/** Undoes some records of a rewriting that is not finished. */
async function undo({ changes }: Storage, pages: number): Promise<void> {
  const rewriting = await changes.findRewriting()
  if (rewriting === undefined) return
  for (let left = pages; left > 0; left--)
    if ((await changes.undo(rewriting.id, { limit: 2, now: 1 })).isDone) return
}

async function store(storage: Storage, texts: ReadonlyMap<number, string>): Promise<void> {
  await applySite(storage, { text: PIT, fileName: 'site.yaml' })
  const times = [...texts.keys()]
  const rows = { sources: times.map(() => STATION), times, records: [...texts.values()] }
  await storage.records.write({ theme: rows })
  for (let day = 0; day < 3; day++) {
    const start = START - 12 * HOUR + day * 24 * HOUR
    const span = { kind: 'theme', source: STATION, start, until: start + 24 * HOUR } as const
    await storage.sealedDays.seal({ ...span, zone: zone('Europe/Berlin') })
  }
}

const timeOf = (hour: string): number => START + Number(hour) * HOUR

test('records are rewritten once, however often that is interrupted and undone in between', async () => {
  await fc.assert(
    fc.asyncProperty(values, steps, async (byHour, history) => {
      const before = new Map<number, string>()
      const after: object[] = []
      for (const hour of Object.keys(byHour).toSorted((a, b) => Number(a) - Number(b))) {
        const { temp, settling } = byHour[hour]!
        const time = timeOf(hour)
        before.set(time, textAt(time, { settling, ...(temp === undefined ? {} : { temp }) }))
        const converted = temp === undefined ? {} : { temp: convertValue(conversion, temp) }
        after.push(JSON.parse(textAt(time, { settling, ...converted })))
      }
      await using place = await newPlace(openSqlite)
      await using storage = await place.open()
      await store(storage, before)

      for (const step of history)
        await (step.do === 'undo' ? undo(storage, step.pages) : rewrite(storage, step.pages))
      await rewrite(storage, Infinity)

      assert.equal(await storage.changes.findRewriting(), undefined)
      assert.deepEqual(await readRecords(storage, { source: STATION }), after)
    }),
    { numRuns: runs(200) },
  )
})

test('a killed rewriting continues with the records that it has not rewritten', async () => {
  await using place = await workplace()
  const times = Array.from({ length: 60_000 }, (_, at) => START + at * 1000)
  const textsIn = (unit: (celsius: number) => number) =>
    times.map((time, at) => textAt(time, { temp: unit(at / 8) }))
  const folder = join(place.folder, 'data')
  {
    await using storage = await openSqlite(folder)
    await applySite(storage, { text: PIT, fileName: 'site.yaml' })
    const sources = times.map(() => STATION)
    await storage.records.write({ theme: { sources, times, records: textsIn((one) => one) } })
  }
  await writeFile(join(place.folder, 'site.yaml'), FAHRENHEIT)
  const command = ['site', 'apply', 'site.yaml', '--convert']
  const rewritten = () =>
    inDatabase(folder, (database) =>
      Number(database.prepare('select count(*) from change_records').pluck().get()),
    )

  const running = place.begin(command)
  await eventually(() => assert.ok(rewritten() > 0))
  running.kill()
  await running.ended
  const atKill = rewritten()
  const { code, stderr } = await place.run(command)

  assert.ok(atKill < times.length, 'it was killed too late')
  assert.equal(code, 0, stderr)
  await using storage = await openSqlite(folder)
  assert.deepEqual(
    await readRecords(storage, { source: STATION }),
    textsIn((one) => convertValue(conversion, one)).map((text) => JSON.parse(text)),
  )
})
