import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import type { RecordKind, Storage } from '../../src/storage/storage.ts'
import { EVER, gather, localText, sensor, station, type NewPlace, type Place } from './_place.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 2, 1)

const ITEMS = Array.from({ length: 4 }, (_, at) => `"item ${at}":${Math.PI * (at + 1)}`).join(',')

/** Some 150 bytes. */
const textAt = (time: number, value: number): string =>
  `{"v":${value},${ITEMS},"time":"${localText(time)}"}`

type Source = { kind: RecordKind; source: number }

const write = (storage: Storage, { kind, source }: Source, times: readonly number[], value = 1) =>
  storage.records.write({
    [kind]: {
      sources: times.map(() => source),
      times: [...times],
      records: times.map((time) => textAt(time, value)),
    },
  })

const minutesOf = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + at * MINUTE)

/**
 * The records of a window, compressed, as text, and as they lie in the tables: of the first two, one or
 * both come from what is kept of open days.
 */
async function readAll(storage: Storage, of: Source, window: { from: number; to: number }) {
  const query = { ...of, ...window, shape: 'flat' } as const
  const lists = await Array.fromAsync(storage.records.readLists({ ...of, ...window }))
  const texts = lists.flatMap((list) => list.texts.map(String))
  return {
    deflated: await gather(storage.records.readDeflated(query)),
    text: await gather(storage.records.read(query)),
    rows: `[${texts.join(',')}]`,
  }
}

async function assertSame(storage: Storage, of: Source, window: { from: number; to: number }) {
  const { deflated, text, rows } = await readAll(storage, of, window)
  for (const found of [deflated, text])
    if (found !== rows) assert.fail(describeDifference({ ...of, ...window }, found, rows))
  return rows
}

function describeDifference(window: object, found: string, expected: string): string {
  const at = Array.from(expected).findIndex((letter, place) => found[place] !== letter)
  const [one, other] = [found, expected].map((text) => text.slice(Math.max(0, at - 30), at + 200))
  return `${JSON.stringify(window)} at ${at}: ${one} not ${other}`
}

/** Two storages on the same data with a source of either kind. */
async function openTwo(place: Place) {
  const [one, other] = [await place.open(), await place.open()]
  const put = [sensor('s'), station(1)]
  await one.site.apply({ put, remove: [], withRecords: false }, 0)
  const { sensorKeys } = await one.site.load()
  const sources = { theme: 1, raw: sensorKeys.get('s')! }
  return { storages: [one, other] as const, sources }
}

type Step = {
  by: 0 | 1
  kind: RecordKind
  do: 'append' | 'append' | 'late' | 'remove' | 'undo' | 'seal' | 'unseal' | 'expire' | 'resource'
  /** Where, as a share of the time that has records. */
  at: number
  count: number
  window: [number, number]
}

const share = fc.double({ min: 0, max: 1, noNaN: true })
const step = fc.record<Step>({
  by: fc.constantFrom(0, 1),
  kind: fc.constantFrom<RecordKind>('theme', 'theme', 'theme', 'raw'),
  do: fc.oneof(
    { weight: 6, arbitrary: fc.constant('append' as const) },
    { weight: 3, arbitrary: fc.constant('late' as const) },
    { weight: 2, arbitrary: fc.constantFrom('remove' as const, 'undo' as const) },
    { weight: 2, arbitrary: fc.constantFrom('seal' as const, 'unseal' as const) },
    { weight: 1, arbitrary: fc.constantFrom('expire' as const, 'resource' as const) },
  ),
  at: share,
  count: fc.integer({ min: 1, max: 200 }),
  window: fc.tuple(share, share),
})

export function openDayFacts(newPlace: NewPlace): void {
  test('finished hours are kept and sent while newer records arrive', async () => {
    await using place = await newPlace()
    const { storages } = await openTwo(place)
    const [storage, other] = storages
    const of = { kind: 'theme', source: 1 } as const
    await write(storage, of, minutesOf(START, 600))
    await assertSame(storage, of, EVER)
    const before = storage.records.measureKept()

    await write(other, of, minutesOf(START + 600 * MINUTE, 10))
    await assertSame(storage, of, { from: START, to: START + DAY - 1 })

    const after = storage.records.measureKept()
    assert.ok(before.bytes > 0)
    assert.ok(after.hits > before.hits)
  })

  test('sources that are read at once have their own sealed, open and corrected days', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sources = Array.from({ length: 16 }, (_, at) => at + 1)
    const put = sources.map((source) => station(source))
    await storage.site.apply({ put, remove: [], withRecords: false }, 0)
    for (const source of sources) {
      const of = { kind: 'theme', source } as const
      // Every fifth source has no records.
      await write(storage, of, minutesOf(START, (source % 5) * 500), source)
      const until = START + DAY * (source % 4)
      if (until > START)
        await storage.sealedDays.seal({ ...of, start: START, until, zone: zone('UTC') })
      if (source % 3 === 0) await write(storage, of, [START + HOUR], -source)
    }

    for (const window of [EVER, { from: START + HOUR, to: START + 2 * DAY }])
      await Promise.all(
        sources.map((source) => assertSame(storage, { kind: 'theme', source }, window)),
      )
  })

  test('a late record, a correction and a deletion by another storage are seen at once', async () => {
    await using place = await newPlace()
    const { storages } = await openTwo(place)
    const [storage, other] = storages
    const of = { kind: 'theme', source: 1 } as const
    const window = { from: START, to: START + DAY - 1 }
    await write(storage, of, minutesOf(START, 600))
    const seen = [await assertSame(storage, of, window)]

    await write(other, of, [START + 90 * MINUTE + 1000])
    seen.push(await assertSame(storage, of, window))
    await write(other, of, [START + 90 * MINUTE], 2)
    seen.push(await assertSame(storage, of, window))
    const deletions = { theme: { sources: [1], times: [START + 30 * MINUTE] } }
    await other.records.write({}, { deletions })
    seen.push(await assertSame(storage, of, window))

    assert.equal(new Set(seen).size, 4)
  })

  test('days whose records are gone hide no later ones', async () => {
    await using place = await newPlace()
    const { storages } = await openTwo(place)
    const [storage] = storages
    const of = { kind: 'theme', source: 1 } as const
    const window = { from: START, to: START + 5 * DAY }
    await write(storage, of, [...minutesOf(START, 3), ...minutesOf(START + 3 * DAY, 2)])
    const before = await assertSame(storage, of, window)
    const change = { before: START + HOUR, limit: 1 }
    for (let isDone = false; !isDone;)
      ({ isDone } = await storage.retention.expire({ ...of, ...change }))

    const after = await assertSame(storage, of, window)

    assert.equal((JSON.parse(before) as unknown[]).length, 5)
    assert.equal((JSON.parse(after) as unknown[]).length, 2)
  })

  test('a day that is read again without a change is kept whole', async () => {
    await using place = await newPlace()
    const { storages } = await openTwo(place)
    const [storage] = storages
    const of = { kind: 'theme', source: 1 } as const
    const window = { from: START - DAY / 3, to: START + DAY - 1 }
    await write(storage, of, minutesOf(START - DAY / 3, 1_000))
    await assertSame(storage, of, window)
    const { misses } = storage.records.measureKept()

    await assertSame(storage, of, window)

    assert.equal(storage.records.measureKept().misses, misses)
  })

  test('kept hours are what the rows are, whatever two storages do', async () => {
    await using place = await newPlace()
    const { storages, sources } = await openTwo(place)
    let [origin, found] = [START, 0]
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
        // Each history has days of its own, after those of the others.
        origin += 20 * DAY
        const { hits } = storages[0].records.measureKept()
        await new History(storages, sources, origin).play(steps)
        found += storages[0].records.measureKept().hits - hits
      }),
      { numRuns: runs(100, 8) },
    )
    assert.ok(found > 0)
  })
}

/** Applies steps to both kinds of source. */
class History {
  readonly #storages: readonly [Storage, Storage]
  readonly #sources: Readonly<Record<RecordKind, number>>
  readonly #origin: number
  /** The first instant after the records of a kind. */
  readonly #end: Record<RecordKind, number>
  readonly #changes: number[] = []

  constructor(
    storages: readonly [Storage, Storage],
    sources: Readonly<Record<RecordKind, number>>,
    origin: number,
  ) {
    this.#storages = storages
    this.#sources = sources
    this.#origin = origin
    this.#end = { theme: origin, raw: origin }
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const kind of ['theme', 'raw'] as const) {
      this.#end[kind] += 800 * MINUTE
      const of = { kind, source: this.#sources[kind] }
      await write(this.#storages[0], of, minutesOf(this.#origin, 800))
    }
    for (const step of steps) {
      // What is kept now is what the next step must not leave in use.
      await this.#read(step)
      await this.#do(step)
      await this.#read(step)
    }
  }

  async #read({ kind, window }: Step): Promise<void> {
    const of = { kind, source: this.#sources[kind] }
    const edges = window.map((edge) => this.#instant(kind, edge)).toSorted((a, b) => a - b)
    const [from = 0, to = 0] = edges
    for (const storage of this.#storages) {
      await assertSame(storage, of, { from: this.#origin, to: this.#origin + 10 * DAY })
      await assertSame(storage, of, { from, to })
      await assertSame(storage, of, { from, to: this.#end[kind] })
    }
  }

  #instant(kind: RecordKind, at: number): number {
    const length = this.#end[kind] - this.#origin
    return this.#origin + Math.floor((length * at) / 1000) * 1000
  }

  async #do(step: Step): Promise<void> {
    const { kind, count } = step
    const storage = this.#storages[step.by]
    const of = { kind, source: this.#sources[kind] }
    const at = this.#instant(kind, step.at)
    switch (step.do) {
      case 'append':
        await write(storage, of, minutesOf(this.#end[kind], count), count)
        this.#end[kind] += count * MINUTE
        return
      case 'late':
        await write(storage, of, minutesOf(at, Math.ceil(count / 20)), count)
        this.#end[kind] = Math.max(this.#end[kind], at + count * MINUTE)
        return
      case 'remove': {
        const id = await storage.changes.begin({
          kind: 'deletion',
          description: '',
          startedAt: 0,
        })
        this.#changes.push(id)
        const times = minutesOf(Math.floor(at / MINUTE) * MINUTE, Math.ceil(count / 20))
        const sources = times.map(() => of.source)
        await storage.records.write({}, { deletions: { [kind]: { sources, times } }, change: id })
        return
      }
      case 'undo': {
        const id = this.#changes.pop()
        if (id === undefined) return
        for (let isDone = false; !isDone;)
          ({ isDone } = await storage.changes.undo(id, { limit: 5_000, now: 0 }))
        return
      }
      case 'seal':
      case 'unseal': {
        const start = Math.floor(at / DAY) * DAY + (count % 2) * 8 * HOUR
        await storage.sealedDays[step.do]({ ...of, start, until: start + DAY, zone: zone('UTC') })
        return
      }
      case 'expire':
        await storage.retention.expire({ ...of, before: at, limit: count })
        return
      case 'resource': {
        const entry = kind === 'theme' ? station(1) : sensor('s')
        const removal = { put: [], remove: [entry], withRecords: true }
        await storage.site.apply(removal, await storage.site.version())
        await storage.site.apply(
          { put: [entry], remove: [], withRecords: false },
          await storage.site.version(),
        )
        await write(storage, of, minutesOf(this.#origin, count), 9)
      }
    }
  }
}
