import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import type { HourSummary } from '../../src/domain/records/hour-summary.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import type { RecordKind, Storage } from '../../src/storage/storage.ts'
import { gather, localText, recordAt, rowsOf, type NewPlace } from './_place.ts'

const HOUR = 3_600_000

type Write = { do: 'write'; kind: RecordKind; source: number; times: number[]; value: number }
type Remove = { do: 'remove'; kind: RecordKind; source: number; times: number[] }
type Read = {
  do: 'read'
  kind: RecordKind
  source: number
  from: number
  to: number
  newest: number | undefined
  shape: 'flat' | 'nested'
  mayBeDeflated: boolean
}
type Span = { kind: RecordKind; source: number; from: number; to: number }
type Hours = Span & { do: 'hours' }
type List = Span & { do: 'list' }
type Seal = {
  do: 'seal' | 'unseal'
  kind: RecordKind
  source: number
  start: number
  until: number
}

// Mostly the same one, so that the steps of a history meet.
const kind = fc.constantFrom<RecordKind>('theme', 'theme', 'theme', 'raw')
const source = fc.constantFrom(1, 1, 1, 2, 2_147_483_647)
const time = fc.integer({ min: -20, max: 20 }).map((step) => step * 1000)

/** Instants of a batch: a few scattered ones, or a run that is longer than a page. */
const times = fc.oneof(
  { weight: 9, arbitrary: fc.array(time, { maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1_990, max: 2_010 })
      .map((count) => Array.from({ length: count }, (_, index) => index * 10)),
  },
)

const write = fc.record<Write>({
  do: fc.constant('write'),
  kind,
  source,
  times,
  // A record's text knows no negative nought.
  value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
})

const read = fc.record<Read>({
  do: fc.constant('read'),
  kind,
  source,
  from: time,
  to: fc.oneof(time, fc.constant(1_000_000)),
  newest: fc.option(fc.constantFrom(1, 1, 1, 2, 5, 1_999, 2_000, 2_001, 10_000), {
    nil: undefined,
  }),
  shape: fc.constantFrom('flat', 'nested'),
  mayBeDeflated: fc.boolean(),
})

const seal = fc.record<Seal>({
  do: fc.constantFrom('seal', 'seal', 'unseal'),
  kind,
  source,
  start: time,
  until: fc.oneof(time, fc.constant(1_000_000)),
})

const remove = fc.record<Remove>({
  do: fc.constant('remove'),
  kind,
  source,
  times: fc.array(time, { maxLength: 12 }),
})

const span = {
  kind,
  source,
  from: time,
  to: fc.oneof(time, fc.constant(1_000_000)),
}
const hours = fc.record<Hours>({ do: fc.constant('hours'), ...span })
const list = fc.record<List>({ do: fc.constant('list'), ...span })

const history = fc.array(fc.oneof(write, remove, read, seal, hours, list), {
  maxLength: 40,
  size: 'max',
})

export function historyFacts(newPlace: NewPlace): void {
  test('any history of writes, removals, reads, sealing and unsealing reads as a plain map does', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    let run = 0
    await fc.assert(
      fc.asyncProperty(history, (steps) => play(storage, 4 * run++, steps)),
      { numRuns: runs(250) },
    )
  })

  test('the same holds while sealing runs beside writers and readers', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    let run = 0
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const sealing: Promise<unknown>[] = []
        await play(storage, 4 * run++, steps, sealing)
        await Promise.all(sealing)
      }),
      { numRuns: runs(150) },
    )
  })
}

/** Applies a history to sources of its own; with `sealing`, writes are not awaited. */
async function play(
  storage: Storage,
  own: number,
  history: readonly (Write | Remove | Read | Seal | Hours | List)[],
  sealing?: Promise<unknown>[],
): Promise<void> {
  const model = new Map<string, Map<number, number>>()
  const recordsOf = ({ kind, source }: { kind: RecordKind; source: number }) =>
    model.getOrInsertComputed(`${kind} ${source}`, () => new Map())

  for (const step of history) {
    const records = recordsOf(step)
    const at = own + (step.source % 4)
    if (step.do === 'write') {
      const rows = rowsOf(at, step.times, () => step.value)
      const outcome = await storage.records.write({ [step.kind]: rows })
      const replaced = remember(records, step)
      if (sealing === undefined) assert.equal(outcome[step.kind].replaced, replaced)
    } else if (step.do === 'remove') {
      const { kind, times } = step
      const gone = { [kind]: { sources: times.map(() => at), times } }
      await storage.records.write({}, { deletions: gone })
      for (const instant of times) records.delete(instant)
    } else if (step.do === 'list') {
      const { kind, from, to } = step
      const lists = await Array.fromAsync(storage.records.readLists({ kind, source: at, from, to }))
      assert.deepEqual(
        lists.flatMap(({ times, texts }) =>
          texts.map((text, index) => [times[index], Buffer.from(text).toString()]),
        ),
        within(records, step).map(([instant, value]) => [instant, recordAt(instant, value)]),
      )
    } else if (step.do === 'hours') {
      const { kind, from, to } = step
      const query = { kind, source: at, from, to, zone: zone('UTC') }
      const found = await Array.fromAsync(storage.records.readHours(query))
      assertHours(found, expectedHours(records, step))
    } else if (step.do !== 'read') {
      const { kind, start, until } = step
      const done = storage.sealedDays[step.do]({
        kind,
        source: at,
        start,
        until,
        zone: zone('UTC'),
      })
      if (sealing === undefined) await done
      else sealing.push(done)
    } else {
      const { from, to, newest, kind, shape, mayBeDeflated } = step
      const window = { kind, from, to, source: at }
      const query = newest === undefined ? window : { ...window, newest }
      const chunks =
        mayBeDeflated && shape === 'flat'
          ? storage.records.readDeflated({ ...query, shape })
          : storage.records.read({ ...query, shape })
      assert.equal(await gather(chunks), expected(records, step))
    }
  }
}

/** Writes into the model; says how many records took the place of an earlier one. */
function remember(records: Map<number, number>, { times, value }: Write): number {
  let replaced = 0
  for (const instant of times) {
    if (records.has(instant)) replaced++
    records.set(instant, value)
  }
  return replaced
}

/** Sums may differ in their last digits: an hour is added up in chunks. */
function assertHours(found: readonly HourSummary[], expected: readonly HourSummary[]): void {
  assert.deepEqual(found.map(withoutSum), expected.map(withoutSum))
  for (const [at, hour] of expected.entries()) {
    const { minimum, maximum, count, sum } = hour.items.get('v')!
    const scale = Math.max(Math.abs(minimum), Math.abs(maximum)) * count
    if (!Number.isFinite(scale)) continue
    const difference = Math.abs(found[at]!.items.get('v')!.sum - sum)
    assert.ok(difference <= scale * 1e-12 + Number.MIN_VALUE * count, `${difference} of ${scale}`)
  }
}

const withoutSum = ({ start, items }: HourSummary) => ({
  start,
  ...items.get('v')!,
  sum: undefined,
})

function expectedHours(records: ReadonlyMap<number, number>, span: Span): HourSummary[] {
  const byHour = Map.groupBy(within(records, span), ([time]) => Math.floor(time / HOUR) * HOUR)
  return Array.from(byHour, ([start, list]) => {
    const values = list.map(([, value]) => value)
    const item = {
      minimum: values.reduce((a, b) => Math.min(a, b)),
      maximum: values.reduce((a, b) => Math.max(a, b)),
      sum: values.reduce((a, b) => a + b),
      count: values.length,
      first: values[0]!,
      last: values.at(-1)!,
    }
    return { start, items: new Map([['v', item]]) }
  })
}

/** What lies in a window, oldest first. */
const within = (
  records: ReadonlyMap<number, number>,
  { from, to }: { from: number; to: number },
): [number, number][] =>
  [...records].filter(([time]) => time >= from && time <= to).toSorted(([a], [b]) => a - b)

function expected(records: ReadonlyMap<number, number>, step: Read): string {
  const { newest, shape } = step
  const ascending = within(records, step)
  const ordered = newest === undefined ? ascending : ascending.toReversed()
  const texts = ordered.slice(0, newest).map(([time, value]) => {
    const values = `"v":${value}`
    return `{${shape === 'flat' ? values : `"values":{${values}}`},"time":"${localText(time)}"}`
  })
  return `[${texts.join(',')}]`
}
