import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { HOUR, MINUTE, World } from './_world.ts'

describe('the outbox', () => {
  test('a receiver that is down gets one attempt at a time, and its deliveries are given up in the end', async () => {
    await using world = await World.open()
    world.moods.set('hook', 'down')
    for (const id of [1, 2, 3]) await world.happen(id, 0, 1, false)

    await world.round()
    const first = await world.storage.deliveries.list({ channel: 'hook', limit: 10 })
    for (let tries = 0; tries < 3; tries++) {
      world.now += HOUR
      await world.round()
    }
    world.now += 4 * HOUR
    await world.happen(4, 0, 1, false)
    await world.round()
    const last = await world.storage.deliveries.list({ channel: 'hook', limit: 10 })

    assert.deepEqual(first.map(({ attempts }) => attempts).toSorted(), [0, 0, 1])
    assert.equal(new Set(first.map(({ nextAt }) => nextAt)).size, 1)
    assert.deepEqual(
      last.map(({ alarm: id, state, attempts, reason, lastError }) => {
        return [id, state, attempts, reason, lastError]
      }),
      [
        [4, 'waiting', 1, null, 'no route'],
        [3, 'givenUp', 1, 'given up', 'no route'],
        [2, 'givenUp', 1, 'given up', 'no route'],
        [1, 'givenUp', 2, 'given up', 'no route'],
      ],
    )
  })

  test('a message that is refused does not hold up the others', async () => {
    await using world = await World.open()
    world.moods.set('hook', 'refusesFirst')
    await world.happen(1, 0, 1, false)
    await world.happen(2, 0, 1, false)

    await world.round()

    const list = await world.storage.deliveries.list({ channel: 'hook', limit: 10 })
    assert.deepEqual(
      list.map(({ alarm: id, state }) => [id, state]),
      [
        [2, 'delivered'],
        [1, 'waiting'],
      ],
    )
  })

  test('the notification of an alarm’s end deletes its reminders', async () => {
    await using world = await World.open()
    await world.happen(1, 0, 2, false)
    await world.round()
    const before = await world.storage.outbox.listDueReminders(Infinity, 10)
    await world.happen(1, 3, 2, false)

    await world.round()

    assert.equal(before.length, 1)
    assert.deepEqual(await world.storage.outbox.listDueReminders(Infinity, 10), [])
  })

  test('an outbox entry of a deleted alarm is skipped', async () => {
    await using world = await World.open()
    await world.storage.outbox.add([{ alarm: 99, step: 0, isLate: false, createdAt: world.now }])
    await world.happen(1, 0, 2, false)

    await world.round()

    assert.deepEqual(
      world.received.map(({ message }) => message.id),
      ['alarm-1-0'],
    )
  })

  test('a waiting reminder is suppressed when its alarm has ended', async () => {
    await using world = await World.open()
    await world.happen(1, 0, 3, false)
    await world.round()
    world.moods.set('hook', 'down')
    world.now += 10 * MINUTE
    await world.round()
    await world.happen(1, 3, 2, false)
    world.moods.set('hook', 'takes')
    world.now += HOUR
    await world.round()

    const [reminder] = await world.storage.deliveries.list({ channel: 'hook', limit: 1 })
    assert.deepEqual(
      [reminder!.kind, reminder!.state, reminder!.reason],
      ['reminder', 'suppressed', 'the alarm has ended'],
    )
  })
})
