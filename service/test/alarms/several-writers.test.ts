import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { confirmAlarm } from '../../src/alarms/confirm.ts'
import { isConflict } from '../../src/errors/conflict-error.ts'
import { runs } from '../_random.ts'
import { listLives, newPlace, siteWith, type Instance, type Place } from './_place.ts'

const EPOCH = Date.UTC(2026, 0, 1)
const SECOND = 1000

/** A rate, so that evaluation looks back too. */
const RATE = 'rates: [{ per: hour, levels: [{ level: 2, limit: 30 }] }]'

/** Counts the writes of records, and those that another writer made fail. */
function countWrites({ storage: { records } }: Instance) {
  const counts = { writes: 0, conflicts: 0 }
  const { write } = records
  records.write = async (...batch) => {
    counts.writes++
    try {
      return await write(...batch)
    } catch (error) {
      if (isConflict(error, 'alarms')) counts.conflicts++
      throw error
    }
  }
  return counts
}

async function openSeveral(place: Place, stack: AsyncDisposableStack, count: number) {
  const instances: Instance[] = []
  for (let at = 0; at < count; at++) instances.push(stack.use(await place.open()))
  return instances
}

const send = async ({ ingest }: Instance, station: number, second: number, v: number) => {
  const time = EPOCH + second * SECOND
  const { rejected } = await ingest.theme([{ station, time, values: { v } }])
  assert.deepEqual(rejected, [])
}

/** A value that raises an alarm, repeats it and ends it, in turns. */
const crossing = (at: number): number => [0, 60, 60, 0][at % 4] ?? 0

test('instances that write different stations never make each other evaluate again', async () => {
  await using place = await newPlace(siteWith('', RATE))
  await using stack = new AsyncDisposableStack()
  const instances = await openSeveral(place, stack, 3)
  const counts = instances.map(countWrites)

  await Promise.all(
    instances.map(async (instance, at) => {
      for (let round = 0; round < 20; round++) {
        // Several are under way at once.
        const seconds = Array.from({ length: 8 }, (_, next) => round * 8 + next)
        await Promise.all(seconds.map((second) => send(instance, at + 1, second, crossing(second))))
      }
    }),
  )

  assert.deepEqual(
    counts,
    Array.from({ length: 3 }, () => ({ writes: 160, conflicts: 0 })),
  )
  for (const station of [1, 2, 3])
    assert.equal((await listLives(instances[0]!.storage, station)).length, 40)
})

test('a conflict about one station does not hold up the writes of another one', async () => {
  await using place = await newPlace()
  await using stack = new AsyncDisposableStack()
  const [one, other] = await openSeveral(place, stack, 2)
  await Promise.all([send(one!, 1, 0, 0), send(one!, 2, 0, 0)])
  await send(other!, 1, 1, 60)
  const { write } = one!.storage.records
  const retried = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let attempts = 0
  one!.storage.records.write = async (...batch) => {
    const isOfFirst = batch[0].theme?.sources.includes(1) === true
    if (isOfFirst && ++attempts === 2) {
      retried.resolve()
      await gate.promise
    }
    return write(...batch)
  }

  const again = send(one!, 1, 2, 60)
  await retried.promise
  const waiting = send(one!, 1, 3, 0)
  const isFree = await Promise.race([
    send(one!, 2, 1, 60).then(() => true),
    sleep(5_000, false, { ref: false }),
  ])
  const attemptsMeanwhile = attempts
  gate.resolve()
  await Promise.all([again, waiting])

  assert.deepEqual([isFree, attemptsMeanwhile, attempts], [true, 2, 3])
  assert.deepEqual(
    (await listLives(one!.storage, 1)).map(({ count, steps }) => ({ count, steps })),
    [{ count: 2, steps: [0, 1, 3] }],
  )
})

type Sent = { instance: number; v: number; confirms: boolean }

const sent: fc.Arbitrary<Sent[]> = fc.array(
  fc.record({
    instance: fc.nat(3),
    v: fc.constantFrom(0, 8, 20, 60, 120),
    confirms: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
  }),
  { minLength: 1, maxLength: 25 },
)

test('what four instances send of one station, one after the other, ends in the alarms of one instance', async () => {
  await fc.assert(
    fc.asyncProperty(sent, async (all) => {
      const leave = async (count: number) => {
        await using place = await newPlace(siteWith('clearAfter: 2', RATE))
        await using stack = new AsyncDisposableStack()
        const instances = await openSeveral(place, stack, count)
        for (const [at, { instance, v, confirms }] of all.entries()) {
          const writer = instances[instance % count]!
          await send(writer, 1, at * 60, v)
          if (confirms) await confirmNewest(instances[(instance + 1) % count]!, at * 60)
        }
        return await listLives(instances[0]!.storage, 1)
      }

      assert.deepEqual(await leave(4), await leave(1))
    }),
    { numRuns: runs(30) },
  )
})

async function confirmNewest({ commits, storage, ingest }: Instance, second: number) {
  const open = (await storage.alarms.listOpen()).filter(({ source }) => source === '1')
  for (const { source, typeCode } of open) {
    const { id } = (await storage.alarms.findOpen(source, typeCode))!
    const confirmation = { id, user: '1', comment: '', now: EPOCH + second * SECOND }
    await confirmAlarm({ commits, storage }, await ingest.catalogue(), confirmation)
  }
}

test('two instances that write one station at the same time leave one life of its alarm', async () => {
  await using place = await newPlace()
  await using stack = new AsyncDisposableStack()
  const [one, other] = await openSeveral(place, stack, 2)
  const counts = [one!, other!].map(countWrites)

  const violations = Array.from({ length: 100 }, (_, second) =>
    send(second % 2 === 0 ? one! : other!, 1, second, 60),
  )
  await Promise.all(violations)
  await send(one!, 1, 100, 0)
  await send(other!, 1, 101, 20)

  const [first, ...rest] = await listLives(one!.storage, 1)
  // How often it was repeated depends on the order in which they came.
  assert.deepEqual([first?.state, first?.steps[0], first?.steps.at(-1)], [3, 0, 3])
  assert.deepEqual(
    rest.map(({ steps }) => steps),
    [[0]],
  )
  assert.ok(counts.some(({ conflicts }) => conflicts > 0))
})

test('batches of four instances that share stations in every way leave one open alarm of each', async () => {
  await using place = await newPlace(siteWith('', RATE))
  await using stack = new AsyncDisposableStack()
  const instances = await openSeveral(place, stack, 4)
  const batches = [[1], [2, 3], [3, 1], [1, 2, 3]]
  const send = async ({ ingest }: Instance, round: number, at: number) => {
    const time = EPOCH + (round * 4 + at) * SECOND
    const stations = batches[(round + at) % batches.length]!
    const { rejected } = await ingest.theme(
      stations.map((station) => ({ station, time, values: { v: 60 } })),
    )
    assert.deepEqual(rejected, [])
  }

  for (let round = 0; round < 24; round += 2)
    await Promise.all(
      instances.flatMap((instance, at) => [
        send(instance, round, at),
        send(instance, round + 1, at),
      ]),
    )

  for (const station of [1, 2, 3]) {
    const lives = await listLives(instances[0]!.storage, station)
    assert.deepEqual(
      lives.map(({ state, count }) => ({ state, hasRepeated: count > 1 })),
      [{ state: 1, hasRepeated: true }],
    )
  }
})
