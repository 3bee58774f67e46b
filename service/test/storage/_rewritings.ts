import assert from 'node:assert/strict'
import test from 'node:test'
import { undoAll } from './_changes.ts'
import { rowsOf, type NewPlace } from './_place.ts'

const BEGINNING = { kind: 'import', description: 'logger.dat', startedAt: 5 } as const

export function rewritingFacts(newPlace: NewPlace): void {
  test('a rewriting is known until it is finished or undone, and does not expire before', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { changes } = storage
    await changes.begin(BEGINNING)
    const change = await changes.begin({ ...BEGINNING, kind: 'rewrite' })
    const found = { id: change, description: BEGINNING.description }

    assert.deepEqual(await changes.findRewriting(), found)
    await changes.finish(change, 9)
    assert.equal(await changes.findRewriting(), undefined)
    await changes.reopen(change)
    assert.deepEqual(await changes.findRewriting(), found)
    await storage.records.write({ theme: rowsOf(1, [1000]) }, { change })
    assert.deepEqual(await changes.expire(10, 100), { isDone: true, changes: 1 })
    assert.deepEqual(
      (await changes.list()).map(({ id, records }) => [id, records]),
      [[change, 1]],
    )
    await undoAll(storage, change)
    assert.equal(await changes.findRewriting(), undefined)
    assert.deepEqual(await changes.expire(10, 100), { isDone: true, changes: 1 })
  })

  test('the changes that could restore records of a source are found', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { changes, records } = storage
    await records.write({ theme: rowsOf(1, [1000, 2000]), raw: rowsOf(2, [1000]) })
    const [adding, replacing, deleting, undone] = [
      await changes.begin(BEGINNING),
      await changes.begin(BEGINNING),
      await changes.begin({ ...BEGINNING, kind: 'deletion' }),
      await changes.begin(BEGINNING),
    ]
    await records.write({ theme: rowsOf(1, [3000]) }, { change: adding })
    await records.write({ theme: rowsOf(1, [1000], () => 7) }, { change: replacing })
    const gone = { theme: { sources: [1], times: [2000] } }
    await records.write({}, { change: deleting, deletions: gone })
    await records.write({ theme: rowsOf(1, [3000], () => 8) }, { change: undone })
    await undoAll(storage, undone)

    assert.deepEqual(await changes.findRestoring('theme', [9, 1]), [replacing, deleting])
    assert.deepEqual(await changes.findRestoring('theme', [2]), [])
    assert.deepEqual(await changes.findRestoring('raw', [1]), [])
  })

  test('a change of the site finishes a rewriting, or does neither', async () => {
    await using place = await newPlace()
    const { changes, site } = await place.open()
    const change = await changes.begin({ ...BEGINNING, kind: 'rewrite' })
    const finishing = { put: [], remove: [], withRecords: false, finishes: { change, now: 7 } }
    const base = await site.version()

    assert.equal(await site.apply(finishing, base + 1), false)
    assert.equal((await changes.findRewriting())?.id, change)
    assert.equal(await site.apply(finishing, base), true)
    assert.deepEqual(
      (await changes.list()).map(({ finishedAt }) => finishedAt),
      [7],
    )
  })
}
