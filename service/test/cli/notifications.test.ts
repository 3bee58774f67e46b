import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { WebhookReceiver } from '../notifications/_webhook.ts'
import { fill, workplace, type Workplace } from './_cli.ts'

async function configure(place: Workplace, receiver: WebhookReceiver): Promise<void> {
  await writeFile(join(place.folder, 'data', 'plumbline.yaml'), YAML(receiver.settings))
}

const YAML = (webhook: object): string =>
  `notifications:\n  webhooks: [${JSON.stringify(webhook)}]\n  rules: [{ name: all, to: [hook] }]\n`

describe('notifications', () => {
  test('test sends a message and reports the outcome, with an exit code', async () => {
    await using place = await workplace()
    await using receiver = await WebhookReceiver.start()
    await fill(place, async () => {})
    await configure(place, receiver)

    const good = await place.run(['notifications', 'test', 'hook'])
    receiver.replies = [{ status: 500 }]
    const bad = await place.run(['notifications', 'test', 'hook'])
    const json = await place.json('notifications', 'test', 'hook')
    const none = await place.run(['notifications', 'test', 'nobody'])

    assert.deepEqual([good.code, good.stdout], [0, 'The test message was delivered.\n'])
    assert.deepEqual(
      [bad.code, bad.stderr],
      [1, 'The test message was not delivered: the receiver answered 500.\n'],
    )
    assert.equal(json.delivered, false)
    assert.deepEqual(
      [none.code, none.stderr],
      [1, 'There is no channel of this name; configured: hook.\n'],
    )
    assert.equal(receiver.posts.length, 3)
  })

  test('log lists deliveries with their outcome', async () => {
    await using place = await workplace()
    await fill(place, async (storage) => {
      const delivery = {
        kind: 'alarm' as const,
        outboxEntry: null,
        alarm: 17,
        step: 0,
        structure: 1,
        channel: 'hook',
        rules: ['all'],
        message: '{}',
        reason: null,
        createdAt: Date.UTC(2026, 2, 1),
      }
      const made = [delivery, { ...delivery, reason: 'quiet hours of all' }]
      await storage.outbox.fanOut({
        entries: [],
        deliveries: made,
        reminders: [],
        snapshots: [],
        endedAlarms: [],
      })
      await storage.deliveries.complete(1, { kind: 'givenUp', at: 5, error: 'no route' })
    })

    const all = await place.run(['notifications', 'log'])
    const one = await place.json('notifications', 'log', '--state', 'givenUp', '--alarm', '17')
    const none = await place.run(['notifications', 'log', '--channel', 'other'])
    const wrong = await place.run(['notifications', 'log', '--state', 'lost'])

    const lines = all.stdout.trimEnd().split('\n')
    assert.match(lines[0]!, /^id +created +channel +about +state +attempts +reason$/)
    assert.match(lines[1]!, /^2 .*alarm 17, transition 0 +suppressed +0 +quiet hours of all$/)
    assert.match(lines[2]!, /^1 +2026-03-01 00:00:00 UTC +hook .*givenUp +1 +given up: no route$/)
    assert.deepEqual(
      one.map(({ id }: any) => id),
      [1],
    )
    assert.equal(none.stdout, 'There are no deliveries.\n')
    assert.deepEqual([wrong.code, /--state must be one of waiting/.test(wrong.stderr)], [2, true])
  })
})

describe('maintenance', () => {
  test('is added in the local time of its structures, listed and ended', async () => {
    await using place = await workplace()
    await fill(place, async () => {})
    const reason = ['--reason', '换缆']
    const local = ['--from', '2096-03-01T08:00', '--to', '2096-03-01 18:00:00', ...reason]

    const added = await place.json('maintenance', 'add', ...local, '--structures', '1')
    const ofStation = await place.run(['maintenance', 'add', ...local, '--stations', '2001'])
    const list = await place.run(['maintenance', 'list'])
    const ended = await place.run(['maintenance', 'end', '1'])
    const again = await place.run(['maintenance', 'end', '1'])
    const left = await place.json('maintenance', 'list')
    const all = await place.run(['maintenance', 'list', '--all'])

    assert.deepEqual(
      [added.id, added.structures, added.startsAt, added.endsAt],
      [1, [1], Date.UTC(2096, 2, 1, 0), Date.UTC(2096, 2, 1, 10)],
    )
    assert.equal(
      ofStation.stdout,
      'Maintenance window 2: notifications are suppressed from 2096-03-01 08:00:00+01:00 to 2096-03-01 18:00:00+01:00 (Europe/Berlin).\n',
    )
    const [, second = '', first = ''] = list.stdout.trimEnd().split('\n')
    assert.match(
      second,
      /^2 +2096-03-01 08:00:00\+01:00 +2096-03-01 18:00:00\+01:00 +stations 2001 +换缆$/,
    )
    assert.match(
      first,
      /^1 +2096-03-01 08:00:00\+08:00 +2096-03-01 18:00:00\+08:00 +structures 1 +换缆$/,
    )
    assert.deepEqual([ended.code, again.code], [0, 1])
    assert.deepEqual(
      left.map(({ id }: any) => id),
      [2],
    )
    assert.match(all.stdout, /^1 .* cancelled +structures 1 .* [-0-9]{10} [:0-9]{8}\+08:00$/m)
  })

  test('needs an offset where time zones differ, and refuses unknown structures', async () => {
    await using place = await workplace()
    await fill(place, async () => {})
    const times = ['--from', '2096-03-01T08:00', '--to', '2096-03-01T18:00', '--reason', 'x']
    const zoned = ['--from', '2096-03-01T08:00Z', '--to', '2096-03-01T18:00+08:00', '--reason', 'x']

    for (const [args, code, words] of [
      [['add', ...times], 2, '--from needs an offset'],
      [['add', ...times, '--structures', '1,2'], 2, '--from needs an offset'],
      [['add', ...times, '--structures', '9'], 1, 'There is no structure 9.'],
      [['add', ...times, '--stations', 'x'], 2, '--stations must be ids joined by commas'],
      [['add', ...times.slice(0, 4), '--structures', '1'], 2, '--reason is missing'],
      [['add', ...times.toSpliced(1, 1, 'noon'), '--structures', '1'], 2, '--from must be a time'],
      [['add', ...times.toSpliced(1, 1, '2097-01-01T00:00'), '--structures', '1'], 2, '--to must'],
      [['end'], 2, 'the number of the maintenance window is missing'],
      [[], 2, 'expected: add, list, end'],
    ] as const) {
      const result = await place.run(['maintenance', ...args])
      assert.equal(result.code, code, result.stderr)
      assert.ok(result.stderr.includes(words), result.stderr)
    }
    const everything = await place.json('maintenance', 'add', ...zoned)
    assert.deepEqual([everything.structures, everything.stations], [[], []])
    assert.equal(everything.endsAt - everything.startsAt, 2 * 3_600_000)
    const list = await place.run(['maintenance', 'list'])
    assert.match(list.stdout, /^1 +2096-03-01 08:00:00 UTC +2096-03-01 10:00:00 UTC +everything/m)
  })
})
