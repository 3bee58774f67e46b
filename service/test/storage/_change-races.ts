import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { runs } from '../_random.ts'
import type { Storage, TrafficRow, UndoStep } from '../../src/storage/storage.ts'
import { EVER, gather, minutes, readRecords, rowsOf, type NewPlace } from './_place.ts'

const TIMES = minutes(20, 0)
const ROUNDS = runs(25)
const NOW = 99
const UNDONE = /^RefusedError: Change \d+ was already undone/
const EXPIRED = /^RefusedError: Change \d+ is expired and can no longer be undone/

const vehicles: TrafficRow[] = TIMES.map((time, at) => ({
  structure: 1,
  time,
  identity: `vehicle ${at}`,
  overload: false,
  license: '',
  load: 10,
  record: `{"vehicle":${at}}`,
  details: '{}',
}))

/** A change that replaces and adds records. */
async function replaceRecords(storage: Storage, startedAt: number): Promise<number> {
  await storage.records.write({ theme: rowsOf(1, TIMES.slice(0, 10), () => 1) })
  const change = await storage.changes.begin({ kind: 'import', description: '', startedAt })
  await storage.records.write({ theme: rowsOf(1, TIMES, () => 2) }, { change })
  return change
}

/** A change that deletes vehicles. */
async function deleteVehicles(storage: Storage, startedAt: number): Promise<number> {
  await storage.traffic.write(vehicles)
  const change = await storage.changes.begin({ kind: 'deletion', description: '', startedAt })
  await storage.traffic.removeSome({ structure: 1, ...EVER, limit: 100, change })
  return change
}

/** What was there before a change, and what it left. */
const CHANGES = [
  { of: 'records', make: replaceRecords, before: 10, after: 20, counts: 20, others: 10 },
  { of: 'vehicles', make: deleteVehicles, before: 20, after: 0, counts: 20, others: 0 },
] as const

const soon = () => setTimeout(Math.random() * 4)

/** Undoes a change by some rows at a time; adds the steps that succeed. */
async function undo(storage: Storage, change: number, limit: number, steps: UndoStep[] = []) {
  await soon()
  for (let isDone = false; !isDone;) {
    const step = await storage.changes.undo(change, { limit, now: NOW })
    steps.push(step)
    isDone = step.isDone
  }
}

const restoredBy = (steps: readonly UndoStep[]): number =>
  steps.reduce((sum, { removed, restored }) => sum + removed + restored, 0)

const countAll = async (storage: Storage): Promise<number> => {
  const traffic = await gather(storage.traffic.read({ structure: 1, ...EVER }))
  return (await readRecords(storage, { source: 1 })).length + JSON.parse(traffic).length
}

async function clear(storage: Storage): Promise<void> {
  const keys = { sources: TIMES.map(() => 1), times: TIMES }
  await storage.records.write({}, { deletions: { theme: keys } })
  const change = await storage.changes.begin({ kind: 'deletion', description: '', startedAt: NOW })
  await storage.traffic.removeSome({ structure: 1, ...EVER, limit: 100, change })
}

export function changeRaceFacts(newPlace: NewPlace): void {
  for (const { of, make, before, after, counts } of CHANGES)
    for (const limit of [100, 7])
      test(`of two that undo a change of ${of} each row is restored by one, by ${limit} rows`, async () => {
        await using place = await newPlace()
        const both = [await place.open(), await place.open()] as const
        for (let round = 0; round < ROUNDS; round++) {
          const change = await make(both[0], 5)
          const steps: UndoStep[][] = [[], []]

          const ends = await Promise.allSettled(
            both.map((storage, at) => undo(storage, change, limit, steps[at])),
          )

          const failed = ends.filter((end) => end.status === 'rejected')
          assert.equal(failed.length, 1, `round ${round}`)
          assert.match(String(failed[0]?.reason), UNDONE)
          assert.equal(restoredBy(steps.flat()), counts)
          assert.equal(
            steps.flat().reduce((sum, { left }) => sum + left, 0),
            0,
          )
          assert.equal(await countAll(both[0]), before)
          const listed = (await both[0].changes.list()).find(({ id }) => id === change)
          assert.equal(listed?.undoneAt, NOW)
          await clear(both[0])
        }
        assert.ok(after !== before)
      })

  for (const { of, make, before, after } of CHANGES)
    test(`a change of ${of} that expires is undone as a whole or not at all`, async () => {
      await using place = await newPlace()
      const [undoing, expiring] = [await place.open(), await place.open()]
      const outcomes = { undone: 0, expired: 0 }
      for (let round = 0; round < ROUNDS; round++) {
        const change = await make(undoing, 5)
        const expire = async () => {
          await soon()
          while (!(await expiring.changes.expire(50, 6)).isDone);
        }

        const [undone, expired] = await Promise.allSettled([undo(undoing, change, 100), expire()])

        assert.equal(expired.status, 'fulfilled')
        if (undone.status === 'rejected') assert.match(String(undone.reason), EXPIRED)
        assert.equal(await countAll(undoing), undone.status === 'rejected' ? after : before)
        outcomes[undone.status === 'rejected' ? 'expired' : 'undone']++
        assert.deepEqual(
          (await undoing.changes.list()).filter(({ id }) => id === change),
          [],
        )
        await clear(undoing)
      }
      // Each round may go either way.
      assert.equal(outcomes.undone + outcomes.expired, ROUNDS)
    })

  test('a change that was undone, expired or never begun is refused by a sentence', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const undone = await replaceRecords(storage, 60)
    await undo(storage, undone, 100)
    const expired = await replaceRecords(storage, 5)
    // The first of several steps: its entries are still there in part.
    await storage.changes.expire(50, 6)

    await assert.rejects(undo(storage, undone, 100), UNDONE)
    await assert.rejects(undo(storage, expired, 100), EXPIRED)
    while (!(await storage.changes.expire(50, 6)).isDone);
    await assert.rejects(undo(storage, expired, 100), EXPIRED)
    assert.deepEqual(
      (await storage.changes.list()).map(({ id }) => id),
      [undone],
    )
    assert.equal(await countAll(storage), 20)
  })
}
