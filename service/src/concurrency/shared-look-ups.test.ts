import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { SharedLookUps } from './shared-look-ups.ts'

test('keys that come while a look-up is under way share the next one', async () => {
  const asked: (readonly string[])[] = []
  const lookUps = new SharedLookUps<string, string>(
    async (keys) => {
      asked.push(keys)
      await setImmediate()
      return keys.map((key) => (key === 'absent' ? undefined : key.toUpperCase()))
    },
    { atOnce: 1, keys: 64 },
  )

  const found = await Promise.all(['a', 'b', 'absent', 'b'].map((key) => lookUps.find(key)))

  assert.deepEqual(found, ['A', 'B', undefined, 'B'])
  assert.deepEqual(asked, [['a'], ['b', 'absent', 'b']])
})

test('a look-up that fails fails its own keys only', async () => {
  const lookUps = new SharedLookUps<string, string>(
    async (keys) => {
      await setImmediate()
      if (keys.includes('bad')) throw new Error('the connection ended')
      return keys
    },
    { atOnce: 1, keys: 64 },
  )

  const results = await Promise.allSettled([lookUps.find('bad'), lookUps.find('good')])
  const after = await lookUps.find('later')

  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  assert.equal(after, 'later')
})

test('random keys get the value of a moment after they were asked for, few look-ups at once', async () => {
  const step = fc.record({ key: fc.nat(5), pause: fc.nat(2), turns: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, lanes) => {
        let version = 0
        let running = 0
        let most = 0
        const lookUps = new SharedLookUps<number, { key: number; version: number }>(
          async (keys) => {
            most = Math.max(most, ++running)
            assert.ok(keys.length <= 3)
            const seen = version
            for (let turn = 0; turn < (keys[0] ?? 0) % 3; turn++) await setImmediate()
            running--
            return keys.map((key) => ({ key, version: seen }))
          },
          { atOnce: lanes, keys: 3 },
        )
        const ends: Promise<void>[] = []

        for (const { key, pause, turns } of steps) {
          const asked = ++version
          ends.push(
            lookUps.find(key).then((found) => {
              assert.equal(found?.key, key)
              assert.ok(found.version >= asked, 'it was looked up before it was asked for')
            }),
          )
          for (let turn = 0; turn < pause * turns; turn++) await setImmediate()
        }

        await Promise.all(ends)
        assert.ok(most <= lanes)
      },
    ),
  )
})

test('a key waits for no look-up that takes longer than the patience', async () => {
  const slow = Promise.withResolvers<string[]>()
  const lookUps = new SharedLookUps<string, string>(
    async (keys) => (keys.includes('slow') ? slow.promise : keys),
    { atOnce: 1, keys: 64, patienceMilliseconds: 5 },
  )

  const first = lookUps.find('slow')
  const second = lookUps.find('second')
  await setTimeout(20)

  assert.equal(await lookUps.find('third'), 'third')
  assert.equal(await second, 'second')
  slow.resolve(['slow'])
  assert.equal(await first, 'slow')
})
