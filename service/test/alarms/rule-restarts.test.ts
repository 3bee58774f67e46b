import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { rebuildRuleStates } from '../../src/alarms/rebuild-rules.ts'
import { StationEvaluators } from '../../src/alarms/station-evaluators.ts'
import type { RuleStates } from '../../src/domain/alarms/rules/rule.ts'
import type { StationEvaluator } from '../../src/domain/alarms/station-evaluator.ts'
import { Catalogue } from '../../src/domain/site/catalogue.ts'
import { flatten } from '../../src/site/file/flatten.ts'
import { readSiteFile } from '../../src/site/file/read-site-file.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { runs } from '../_random.ts'
import { listLives, newPlace, siteWith } from './_place.ts'

const EPOCH = Date.UTC(2026, 0, 1)

type Sent = { hours: number; v: number }

const timeOf = ({ hours }: Sent) => EPOCH + hours * 3_600_000

const constant = (v: number, ...hours: number[]): Sent[] => hours.map((one) => ({ hours: one, v }))

/** The starts of the alarms after records, each sent by an instance that was started for it. */
async function startsAfter(item: string, records: readonly Sent[]): Promise<string[]> {
  await using place = await newPlace(siteWith('', item), () => EPOCH + 10_000 * 3_600_000)
  for (const one of records) {
    await using instance = await place.open()
    const record = { station: 1, time: timeOf(one), values: { v: one.v } }
    assert.deepEqual((await instance.ingest.theme([record])).rejected, [])
  }
  await using instance = await place.open()
  return (await listLives(instance.storage, 1)).map(({ startTime }) => startTime)
}

const SPIKE = 'spike: { deviation: 20, records: 5, quality: bad }'

describe('after a restart', () => {
  test('a spike is one, however far apart the records are', async () => {
    const calm = constant(0, 0, 1, 200, 900, 2000, 2001)

    assert.deepEqual(await startsAfter(SPIKE, [...calm, ...constant(60, 9000)]), [])
  })

  test('a step is over its threshold once it has lasted', async () => {
    const records = [...constant(0, 0, 1, 2, 3, 4), ...constant(60, 300, 301, 302)]

    assert.deepEqual(await startsAfter(SPIKE, records), ['2026-01-13 14:00:00'])
  })
})

/** Calm values, single spikes, steps and rows of equal values, at irregular times. */
const records: fc.Arbitrary<Sent[]> = fc
  .array(
    fc.record({
      after: fc.constantFrom(1, 1, 1, 1.9, 2, 30, 500),
      v: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 5 }) },
        { weight: 2, arbitrary: fc.constant(60) },
        { weight: 2, arbitrary: fc.constant(20) },
        { weight: 1, arbitrary: fc.constant(999) },
      ),
    }),
    { maxLength: 60 },
  )
  .chain((steps) =>
    // Often or seldom, beside the time that rules look back to.
    fc.constantFrom(1, 1, 20).map((scale) => {
      let hours = 0
      return steps.map(({ after, v }) => ({ hours: (hours += after * scale), v }))
    }),
  )

const rules: fc.Arbitrary<{ batch: string; item: string }> = fc
  .record({
    raiseAfter: fc.constantFrom(
      '',
      'raiseAfter: { records: 2, of: 7 }',
      'raiseAfter: { minutes: 90 }',
    ),
    spike: fc.constantFrom('bad', 'uncertain', undefined),
    count: fc.constantFrom(3, 5, 7),
    frozen: fc.constantFrom('bad', 'uncertain'),
    hours: fc.integer({ min: 2, max: 9 }),
    records: fc.integer({ min: 2, max: 4 }),
    longestGap: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ raiseAfter, spike, count, frozen, hours, records, longestGap }) => ({
    batch: raiseAfter,
    item: [
      'range: { high: 500, level: 4 }',
      `frozen: { hours: ${hours}, records: ${records}, level: 5, quality: ${frozen} }`,
      `rates: [{ per: hour, consecutive: true, longestGap: ${longestGap}, levels: [{ level: 6, limit: 1 }] }]`,
      ...(spike === undefined
        ? []
        : [`spike: { deviation: 20, records: ${count}, quality: ${spike} }`]),
    ].join('\n                '),
  }))

/** Stored records, as far as rules read them. */
const storeOf = (records: readonly Sent[]): Pick<RecordStore, 'readLists' | 'readMarks'> => ({
  async *readLists({ from, to }) {
    const found = records.filter((one) => timeOf(one) >= from && timeOf(one) <= to)
    const texts = found.map(({ v }) => Buffer.from(JSON.stringify({ v })))
    yield { times: found.map(timeOf), texts }
  },
  async *readMarks() {},
})

/** What the evaluator says of records, and the states after them. */
function evaluate(evaluator: StationEvaluator, records: readonly Sent[], before: RuleStates) {
  let states = before
  const said = records.map((one) => {
    const time = timeOf(one)
    const record = { time, local: time, values: [one.v] }
    const { measured } = evaluator.measure(record, states)
    const { ruleStates, events, marks } = evaluator.evaluate(record, null, states, () => null)
    states = ruleStates
    return { measured, events, marks }
  })
  return { said, states }
}

test('rules say the same of records with states that are rebuilt as without a restart', async () => {
  await fc.assert(
    fc.asyncProperty(rules, records, fc.nat(40), async ({ batch, item }, records, restart) => {
      const entries = flatten(readSiteFile(siteWith(batch, item), 'site.yaml'))
      const site = { version: 1, entries, defaultGroups: [], sensorKeys: new Map() }
      const catalogue = new Catalogue(site)
      const station = catalogue.stations.get(1)!
      const compiled = new StationEvaluators(catalogue).of(station)
      const earlier = records.slice(0, restart)
      const later = records.slice(restart)
      const time = earlier.map(timeOf).at(-1) ?? null

      const { states } = evaluate(compiled.evaluator, earlier, {})
      const data = storeOf(earlier)
      const rebuilt = await rebuildRuleStates({ data, station, compiled, time })

      assert.deepEqual(
        evaluate(compiled.evaluator, later, rebuilt).said,
        evaluate(compiled.evaluator, later, states).said,
      )
    }),
    { numRuns: runs(1000) },
  )
})
