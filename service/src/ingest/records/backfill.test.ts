import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { Backfill } from './backfill.ts'

/** Writes that end when the test ends them. */
class Store {
  readonly begun: string[] = []
  readonly #open: { name: string; end: () => void }[] = []

  readonly store = (name: string) => (): Promise<void> => {
    this.begun.push(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#open.push({ name, end: resolve })
    return promise
  }

  get underWay(): number {
    return this.#open.length
  }

  async endFirst(): Promise<void> {
    this.#open.shift()?.end()
    await setImmediate()
  }
}

const rows = (count: number): number[] => [...Array(count).keys()]

describe('backfill', () => {
  test('is a batch of old records only, or of many', () => {
    const backfill = new Backfill({ oldMilliseconds: 60_000, manyRecords: 3 })
    const now = Date.UTC(2026, 0, 1)
    const batch = (...ages: number[]) => ages.map((age) => ({ time: now - age }))

    const isBackfill = [
      batch(),
      batch(0),
      batch(60_000),
      batch(60_001),
      batch(90_000, 1, 90_000),
      batch(90_000, 90_000, 90_000),
      batch(0, 0, 0, 0),
      batch(-5_000),
    ].map((rows) => backfill.includes(rows, now))

    assert.deepEqual(isBackfill, [false, false, false, true, false, true, true, false])
  })

  test('does not hold up live records of other sources', async () => {
    const backfill = new Backfill({ clock: () => 0 })
    const store = new Store()
    for (const source of ['a', 'b', 'c', 'd'])
      void backfill.inPortions([source], rows(2_000), (portion) =>
        store.store(`${source} ${portion[0]}`)(),
      )
    await setImmediate()
    const before = store.begun.length

    void backfill.live(['live'], store.store('live'))

    assert.deepEqual(store.begun.slice(before), ['live'])
    assert.equal(before, 2)
  })

  test('stores a whole batch in one write, after those before it', async () => {
    const backfill = new Backfill({ clock: () => 0 })
    const store = new Store()
    for (const source of ['a', 'b', 'c']) void backfill.whole([source], 1_000, store.store(source))
    await setImmediate()

    assert.deepEqual(store.begun, ['a'])
    await store.endFirst()
    assert.deepEqual(store.begun, ['a', 'b'])
  })

  test('keeps the order of writes of one source', async () => {
    const backfill = new Backfill({ clock: () => 0 })
    const store = new Store()
    void backfill.inPortions(['a'], rows(1_200), (portion) => store.store(`old ${portion[0]}`)())
    void backfill.live(['a'], store.store('live'))
    void backfill.inPortions(['a'], rows(1), () => store.store('second')())
    void backfill.live(['b'], store.store('other'))
    for (let step = 0; step < 10; step++) await store.endFirst()

    const ofA = store.begun.filter((name) => name !== 'other')
    assert.deepEqual(ofA.slice(-2), ['live', 'second'])
    assert.ok(ofA.slice(0, -2).every((name) => name.startsWith('old')))
    assert.ok(store.begun.indexOf('other') < store.begun.indexOf('live'))
  })

  test('stores every row once and in order, in portions that shrink with the time they take', async () => {
    let now = 0
    const backfill = new Backfill({ clock: () => now, isBesideLive: () => true })
    const sizes: number[] = []
    const stored: number[] = []

    await backfill.inPortions(['a'], rows(5_000), async (portion) => {
      now += portion.length / 5
      sizes.push(portion.length)
      stored.push(...portion)
    })

    assert.deepEqual(stored, rows(5_000))
    assert.equal(sizes[0], 500)
    assert.ok(
      sizes.slice(-5, -1).every((size) => size <= 100),
      sizes.join(' '),
    )
  })

  test('grows its portions while there are no live records', async () => {
    let now = 0
    const backfill = new Backfill({ clock: () => now, isBesideLive: () => false })
    const sizes: number[] = []

    await backfill.inPortions(['a'], rows(40_000), async (portion) => {
      now += portion.length / 200
      sizes.push(portion.length)
    })

    assert.ok(Math.max(...sizes) > 5_000, sizes.join(' '))
  })

  test('continues after a portion that failed, and reports the failure', async () => {
    const backfill = new Backfill()
    const failing = backfill.inPortions(['a'], rows(3), () => Promise.reject(new Error('full')))
    const next = backfill.live(['a'], async () => 'stored')

    await assert.rejects(failing, /full/)
    assert.equal(await next, 'stored')
  })

  test('ends every write, in whatever order they arrive', async () => {
    const write = fc.record({
      isLive: fc.boolean(),
      sources: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
      count: fc.integer({ min: 0, max: 1_500 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 12 }), async (writes) => {
        const backfill = new Backfill()
        const order = new Map<string, number[]>()
        const note = (sources: string[], at: number): void => {
          for (const source of sources) order.set(source, [...(order.get(source) ?? []), at])
        }

        await Promise.all(
          writes.map(({ isLive, sources, count }, at) =>
            isLive
              ? backfill.live(sources, async () => note(sources, at))
              : backfill.inPortions(sources, rows(count), async () => {
                  await setImmediate()
                  note(sources, at)
                }),
          ),
        )

        for (const list of order.values())
          assert.deepEqual(
            list,
            list.toSorted((a, b) => a - b),
          )
      }),
      { numRuns: runs(50) },
    )
  })
})
