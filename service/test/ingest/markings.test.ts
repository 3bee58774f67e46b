import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { storingCommits } from '../../src/commit/record-commits.ts'
import { StationDerivation } from '../../src/derivation/station-derivation.ts'
import { deleteRecords } from '../../src/deletion/delete-records.ts'
import { chooseTarget } from '../../src/deletion/deletion-target.ts'
import { parseQuality } from '../../src/domain/quality/quality-text.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { chooseMarkingTarget, type MarkingChoice } from '../../src/marking/mark-target.ts'
import { markValues, type Marking } from '../../src/marking/mark-values.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import type { RecordKind } from '../../src/storage/storage.ts'
import { runs } from '../_random.ts'
import { NOW, TestPlace } from './_place.ts'
import { SENSORS } from './_site.ts'

const START = NOW - 86_400_000
const second = fc.integer({ min: 0, max: 5 }).map((at) => START + at * 1000)
const span = fc
  .tuple(second, second)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const number = fc.integer({ min: 0, max: 9 })
const quality = fc.constantFrom('good', 'uncertain: rust', 'bad: cable cut', 'bad')
const someQuality = fc.option(quality, { nil: undefined })
const rawValues = fc.record({ a: number, b: number }, { requiredKeys: ['a'] })
const readValues = fc.record({ strain: number, second: number }, { requiredKeys: ['strain'] })

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('send'),
      time: second,
      values: rawValues,
      quality: someQuality,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('enter'),
      time: second,
      values: readValues,
      quality: someQuality,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('mark'),
      span,
      quality,
      of: fc.constantFrom('station', 'sensor'),
      isPart: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), span }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('seal'), span }) },
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

test('undoing any sends, readings, markings and deletions in reverse order restores all', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      await using at = await TestPlace.open()
      const history = new History(at)
      const states: { change: number; before: unknown }[] = []
      for (const one of steps) {
        const before = await history.read()
        const change = await history.take(one)
        if (change === null) continue
        assertServed(await history.read())
        states.push({ change, before })
      }

      for (const { change, before } of states.toReversed()) {
        await history.undo(change)
        assert.deepEqual(await history.read(), before)
      }
    }),
    { numRuns: runs(200) },
  )
})

test('a marking that was stopped continues, a page at a time', async () => {
  await using at = await TestPlace.open()
  const times = Array.from({ length: 9_000 }, (_, index) => START + index * 1000)
  const records = times.map((time) => ({ sensor: SENSORS.many, time, values: { a: 1, b: 2 } }))
  await at.ingest.raw(records)
  const history = new History(at)
  const change = await history.begin()
  const stop = new AbortController()
  const onProgress = () => stop.abort()

  const first = await history.markAll(change, { signal: stop.signal, onProgress })
  const rest = await history.markAll(change, { isResumed: true })
  const left = (await at.read('theme', 1)).length
  await history.undo(change, 2_000)

  assert.ok(first.raw > 0 && first.raw < 9_000, `${first.raw} records were marked at first`)
  assert.equal(first.raw + rest.raw, 9_000)
  assert.equal(left, 0)
  assert.equal((await at.read('theme', 1)).length, 9_000)
})

type State = Record<RecordKind, { record: string | null; marks: string | null }[]>

/** No value that is marked as bad is in the text that is served. */
function assertServed(state: State): void {
  for (const { record, marks } of [...state.theme, ...state.raw]) {
    const served: object = JSON.parse(record ?? '{}')
    const marked: Record<string, { quality: string }> = JSON.parse(marks ?? '{}')
    for (const [key, mark] of Object.entries(marked))
      assert.equal(Object.hasOwn(served, key), mark.quality !== 'bad', `${record} ${marks}`)
  }
}

class History {
  readonly #at: TestPlace

  constructor(at: TestPlace) {
    this.#at = at
  }

  /** Everything that is stored of the sensor and its station. */
  async read(): Promise<State> {
    const times = Array.from({ length: 6 }, (_, at) => START + at * 1000)
    const find = async (kind: RecordKind, source: number) =>
      this.#at.storage.records.findStored(kind, { sources: times.map(() => source), times })
    return { theme: await find('theme', 1), raw: await find('raw', await this.#sensorKey()) }
  }

  /** Takes a step; returns its change, `null` where it made none. */
  async take(one: Step): Promise<number | null> {
    if (one.do === 'seal' && 'span' in one) return this.#seal(one.span)
    if (one.do === 'enter' && 'time' in one) return this.#enter(one)
    const change = await this.begin()
    if (one.do === 'send' && 'time' in one) {
      const { time, values, quality: given } = one
      const record = { sensor: SENSORS.many, time, values, quality: given }
      const { rejected } = await this.#at.ingest.raw([record], { change })
      assert.deepEqual(rejected, [])
    } else if ('of' in one) await this.#mark(change, one)
    else if ('span' in one) await this.#delete(change, one.span)
    return change
  }

  /** Marks every raw value as bad. */
  async markAll(change: number, options: Omit<Marking, 'target' | 'span' | 'change'>) {
    const bad = { quality: 'bad', reason: '' } as const
    const choice = { sensor: SENSORS.many, quality: bad }
    const target = chooseMarkingTarget(await this.#at.ingest.catalogue(), choice)
    const everything = { from: START, to: NOW }
    return markValues(this.#parts(), { target, span: everything, change, ...options })
  }

  async undo(change: number, limit = 2): Promise<void> {
    for (let isDone = false; !isDone;) {
      const undone = await this.#at.storage.changes.undo(change, { limit, now: NOW })
      assert.equal(undone.left, 0)
      isDone = undone.isDone
    }
  }

  begin(): Promise<number> {
    return this.#at.storage.changes.begin({ kind: 'marking', description: 'x', startedAt: 1 })
  }

  async #enter({
    time,
    values,
    quality: given,
  }: {
    time: number
    values: object
    quality?: string | undefined
  }) {
    const station = (await this.#at.ingest.catalogue()).stations.get(1)
    assert.ok(station !== undefined)
    const entered = [{ time, values, quality: given }]
    const author = { author: 'A', userId: 1, station }
    const isNew = (await this.#at.storage.changes.list()).length
    const { change } = await this.#at.ingest.readings(author, entered)
    // One that was entered before keeps its change.
    return (await this.#at.storage.changes.list()).length > isNew ? change : null
  }

  async #mark(
    change: number,
    one: { span: { from: number; to: number }; quality: string; of: string; isPart: boolean },
  ): Promise<void> {
    const isOfSensor = one.of === 'sensor'
    const source = isOfSensor ? { sensor: SENSORS.many } : { station: 1 }
    const choice: MarkingChoice = {
      ...source,
      items: one.isPart ? [isOfSensor ? 'a' : 'strain'] : undefined,
      quality: parseQuality(one.quality)!,
    }
    const target = chooseMarkingTarget(await this.#at.ingest.catalogue(), choice)
    await markValues(this.#parts(), { target, span: one.span, change })
  }

  async #delete(change: number, window: { from: number; to: number }): Promise<void> {
    const target = chooseTarget(await this.#at.ingest.catalogue(), { sensor: SENSORS.many })
    const { storage } = this.#at
    await deleteRecords(this.#parts(), storage.changes, { target, span: window, change })
  }

  #parts() {
    const { storage } = this.#at
    const commits = storingCommits(storage)
    const derivation = new StationDerivation({ data: storage.records, commits })
    return { catalogue: openCatalogue(storage.site), storage, commits, derivation }
  }

  async #seal({ from, to }: { from: number; to: number }): Promise<null> {
    const places = { start: from, until: to, zone: zone('UTC') }
    await this.#at.storage.sealedDays.seal({ kind: 'theme', source: 1, ...places })
    await this.#at.storage.sealedDays.seal({
      kind: 'raw',
      source: await this.#sensorKey(),
      ...places,
    })
    return null
  }

  async #sensorKey(): Promise<number> {
    const sensor = (await this.#at.ingest.catalogue()).sensors.get(SENSORS.many)
    assert.ok(sensor !== undefined)
    return sensor.key
  }
}
