import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { readRecords, rowsOf, type NewPlace } from './_place.ts'

const BEGINNING = { kind: 'import', description: 'logger 測點.dat', startedAt: 5 } as const

export function changeFacts(newPlace: NewPlace): void {
  test('undoing a change restores what was there before, sealed or open', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [1000, 2000, 3000], () => 1) })
    await storage.sealedDays.seal({
      kind: 'theme',
      source: 1,
      start: 0,
      until: 2500,
      zone: zone('UTC'),
    })
    const change = await storage.changes.begin(BEGINNING)
    await storage.records.write(
      { theme: rowsOf(1, [2000, 3000, 4000], () => 2), raw: rowsOf(1, [9000], () => 2) },
      { change },
    )
    await storage.records.write(
      {},
      { change, deletions: { theme: { sources: [1], times: [1000] } } },
    )

    const outcome = await undoAll(storage, change)

    assert.deepEqual(outcome, { removed: 2, restored: 3, left: 0 })
    assert.deepEqual(await valuesOf(storage, 'theme'), [1, 1, 1])
    assert.deepEqual(await valuesOf(storage, 'raw'), [])
  })

  test('undoing a change keeps what was written after it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [1000, 2000], () => 1) })
    const change = await storage.changes.begin(BEGINNING)
    await storage.records.write({ theme: rowsOf(1, [1000, 2000, 3000], () => 2) }, { change })
    await storage.records.write(
      { theme: rowsOf(1, [1000], () => 3) },
      { deletions: { theme: { sources: [1], times: [3000] } } },
    )

    const outcome = await undoAll(storage, change)

    assert.deepEqual(outcome, { removed: 0, restored: 1, left: 2 })
    assert.deepEqual(await valuesOf(storage, 'theme'), [3, 1])
  })

  test('undoing a change keeps what is written meanwhile, open or beside a sealed day', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const times = Array.from({ length: 20 }, (_, at) => at * 1000)
    await storage.records.write({ theme: rowsOf(1, times, () => 1) })
    await storage.sealedDays.seal({
      kind: 'theme',
      source: 1,
      start: 0,
      until: 9500,
      zone: zone('UTC'),
    })

    for (const time of times) {
      const change = await storage.changes.begin(BEGINNING)
      await storage.records.write({ theme: rowsOf(1, [time], () => 2) }, { change })
      await Promise.all([
        storage.records.write({ theme: rowsOf(1, [time], () => 3) }),
        undoAll(storage, change),
      ])
    }

    assert.deepEqual(
      await valuesOf(storage, 'theme'),
      times.map(() => 3),
    )
  })

  test('undo restores the record that replaced another one during a deletion', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const change = await storage.changes.begin(BEGINNING)
    const times = Array.from({ length: 20 }, (_, at) => at * 1000)
    await storage.records.write({ theme: rowsOf(1, times, () => 1) })

    for (const time of times)
      await Promise.all([
        storage.records.write({ theme: rowsOf(1, [time], () => 2) }),
        storage.records.write(
          {},
          { change, deletions: { theme: { sources: [1], times: [time] } } },
        ),
      ])
    const left = await valuesOf(storage, 'theme')
    await undoAll(storage, change)

    assert.deepEqual(left, [])
    assert.deepEqual(
      await valuesOf(storage, 'theme'),
      times.map(() => 2),
    )
  })

  test('the first of several writes of one change stores what was there', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [1000], () => 1) })
    const change = await storage.changes.begin(BEGINNING)
    for (const value of [2, 3, 3])
      await storage.records.write({ theme: rowsOf(1, [1000, 2000], () => value) }, { change })

    const outcome = await undoAll(storage, change)

    assert.deepEqual(outcome, { removed: 1, restored: 1, left: 0 })
    assert.deepEqual(await valuesOf(storage, 'theme'), [1])
  })

  test('undo restores a record whose marks the change kept, and marks that it deleted', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const mark = '{"v":{"quality":"uncertain","reason":"","origin":"person"}}'
    const keys = { sources: [1, 1], times: [1000, 2000] }
    const marks = { ...keys, marks: [mark, mark] }
    await storage.records.write({ theme: rowsOf(1, [1000], () => 1) }, { marks: { theme: marks } })
    const before = await storage.records.findStored('theme', keys)
    const change = await storage.changes.begin(BEGINNING)
    const deletion = { sources: [1], times: [2000] }
    await storage.records.write(
      { theme: rowsOf(1, [1000], () => 2) },
      { change, expected: { theme: { ...keys, stored: before } } },
    )
    await storage.records.write({}, { change, deletions: { theme: deletion } })

    const outcome = await undoAll(storage, change)

    assert.deepEqual(outcome, { removed: 0, restored: 2, left: 0 })
    assert.deepEqual(await storage.records.findStored('theme', keys), before)
  })

  test('changes are listed with their numbers, times and records', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const first = await storage.changes.begin(BEGINNING)
    const second = await storage.changes.begin({ ...BEGINNING, kind: 'recompute', startedAt: 6 })
    await storage.records.write({ theme: rowsOf(1, [1000, 2000]) }, { change: first })
    await storage.changes.finish(first, 7)
    await undoAll(storage, second)

    const changes = await storage.changes.list()

    assert.deepEqual(changes, [
      { id: first, ...BEGINNING, finishedAt: 7, undoneAt: null, records: 2, waveforms: 0 },
      {
        id: second,
        ...BEGINNING,
        kind: 'recompute',
        startedAt: 6,
        finishedAt: null,
        undoneAt: 99,
        records: 0,
        waveforms: 0,
      },
    ])
  })

  test('old changes are deleted a few records at a time, and their records stay', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const old = await storage.changes.begin(BEGINNING)
    const later = await storage.changes.begin({ ...BEGINNING, startedAt: 50 })
    await storage.records.write({ theme: rowsOf(1, [1000, 2000, 3000]) }, { change: old })
    await storage.records.write({ theme: rowsOf(1, [4000]) }, { change: later })

    const steps = []
    do steps.push(await storage.changes.expire(50, 2))
    while (!steps.at(-1)!.isDone)

    assert.deepEqual(steps, [
      { isDone: false, changes: 0 },
      { isDone: true, changes: 1 },
    ])
    assert.deepEqual(
      (await storage.changes.list()).map(({ id }) => id),
      [later],
    )
    assert.equal((await valuesOf(storage, 'theme')).length, 4)
  })

  test('a position is set with the records that it belongs to', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const position = { name: 'folder a', text: '12' }

    await storage.records.write({ raw: rowsOf(1, [1000]) }, { position })

    assert.equal(await storage.positions.find('folder a'), '12')
  })

  test('undoing any writes, removals and seals in reverse order restores all', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    let source = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        source++
        await storage.records.write({ theme: rowsOf(source, [0, 3000, 5000], () => -1) })
        const states: { change: number; before: unknown }[] = []
        for (const one of steps) {
          if (one.do === 'seal') {
            await seal(storage, source, one)
            continue
          }
          const change = await storage.changes.begin(BEGINNING)
          states.push({ change, before: await readRecords(storage, { source }) })
          const gone = { theme: { sources: one.gone.map(() => source), times: one.gone } }
          const written = one.times.filter((time) => !one.gone.includes(time))
          const rows = rowsOf(source, written, () => one.value)
          await storage.records.write({ theme: rows }, { change, deletions: gone })
        }

        for (const { change, before } of states.toReversed()) {
          const { left } = await undoAll(storage, change)
          assert.equal(left, 0)
          assert.deepEqual(await readRecords(storage, { source }), before)
        }
      }),
      { numRuns: runs(60) },
    )
  })
}

const time = fc.integer({ min: 0, max: 9 }).map((second) => second * 1000)
const times = fc.array(time, { maxLength: 6 })
const step = fc.oneof(
  fc.record({ do: fc.constant('change'), times, gone: times, value: fc.nat(99) }),
  fc.record({ do: fc.constant('seal'), start: time, until: time }),
)

const seal = (storage: Storage, source: number, span: { start: number; until: number }) =>
  storage.sealedDays.seal({ kind: 'theme', source, ...span, zone: zone('UTC') })

/** Undoes a change, two records at a time. */
export async function undoAll(storage: Storage, change: number) {
  const all = { removed: 0, restored: 0, left: 0 }
  while (true) {
    const { removed, restored, left, isDone } = await storage.changes.undo(change, {
      limit: 2,
      now: 99,
    })
    all.removed += removed
    all.restored += restored
    all.left += left
    if (isDone) return all
  }
}

const valuesOf = async (storage: Storage, kind: 'theme' | 'raw') =>
  (await readRecords(storage, { kind, source: 1 })).map(({ v }) => v as number)
