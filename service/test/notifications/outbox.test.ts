import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { HOUR, MINUTE, TestOutbox } from './_test-outbox.ts'

describe('the outbox', () => {
  test('a receiver that is down gets one attempt at a time, and its deliveries are given up in the end', async () => {
    await using harness = await TestOutbox.open()
    harness.receiverStates.set('hook', 'down')
    for (const id of [1, 2, 3]) await harness.addTransition(id, 0, 1, false)

    await harness.round()
    const first = await harness.storage.deliveries.list({ channel: 'hook', limit: 10 })
    for (let tries = 0; tries < 3; tries++) {
      harness.now += HOUR
      await harness.round()
    }
    harness.now += 4 * HOUR
    await harness.addTransition(4, 0, 1, false)
    await harness.round()
    const last = await harness.storage.deliveries.list({ channel: 'hook', limit: 10 })

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
    await using harness = await TestOutbox.open()
    harness.receiverStates.set('hook', 'refusesFirst')
    await harness.addTransition(1, 0, 1, false)
    await harness.addTransition(2, 0, 1, false)

    await harness.round()

    const list = await harness.storage.deliveries.list({ channel: 'hook', limit: 10 })
    assert.deepEqual(
      list.map(({ alarm: id, state }) => [id, state]),
      [
        [2, 'delivered'],
        [1, 'waiting'],
      ],
    )
  })

  test('the notification of an alarm’s end deletes its reminders', async () => {
    await using harness = await TestOutbox.open()
    await harness.addTransition(1, 0, 2, false)
    await harness.round()
    const before = await harness.storage.outbox.listDueReminders(Infinity, 10)
    await harness.addTransition(1, 3, 2, false)

    await harness.round()

    assert.equal(before.length, 1)
    assert.deepEqual(await harness.storage.outbox.listDueReminders(Infinity, 10), [])
  })

  test('an outbox entry of a deleted alarm is skipped', async () => {
    await using harness = await TestOutbox.open()
    await harness.addTransition(1, 0, 2, false)
    await harness.addTransition(2, 0, 2, false)
    harness.deleteAlarm(1)

    await harness.round()

    assert.deepEqual(
      harness.received.map(({ message }) => message.id),
      ['alarm-2-0'],
    )
  })

  test('a waiting reminder is suppressed when its alarm has ended', async () => {
    await using harness = await TestOutbox.open()
    await harness.addTransition(1, 0, 3, false)
    await harness.round()
    harness.receiverStates.set('hook', 'down')
    harness.now += 10 * MINUTE
    await harness.round()
    await harness.addTransition(1, 3, 2, false)
    harness.receiverStates.set('hook', 'takes')
    harness.now += HOUR
    await harness.round()

    const [reminder] = await harness.storage.deliveries.list({ channel: 'hook', limit: 1 })
    assert.deepEqual(
      [reminder!.kind, reminder!.state, reminder!.reason],
      ['reminder', 'suppressed', 'the alarm has ended'],
    )
  })
})
