import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTime, withTimes } from './times.ts'

const plain = Temporal.PlainDateTime.from('2026-03-01T12:00:00.25')
const instant = Temporal.Instant.from('2026-03-01T04:00:00.25Z')
const zoned = instant.toZonedDateTimeISO('Europe/Berlin')
const window = { timeZone: 'Asia/Shanghai', isIngest: false }
const ingest = { timeZone: undefined, isIngest: true }

test('times of a window are written as local times of whole seconds', () => {
  for (const time of [plain, instant, zoned])
    assert.deepEqual(withTimes({ startTime: time, limit: 1 }, window), {
      startTime: '2026-03-01 12:00:00',
      limit: 1,
    })
  const short = Temporal.PlainDateTime.from('2026-03-01T12:00')
  assert.deepEqual(withTimes({ endTime: short }, window), { endTime: '2026-03-01 12:00:00' })
})

test('times of records keep their fraction, and instants need no zone', () => {
  const records = [plain, instant, zoned, '2026-03-01 12:00:00', 1].map((time) => ({ time }))

  for (const options of [window, ingest])
    assert.deepEqual(withTimes({ records }, options), {
      records: [
        { time: '2026-03-01 12:00:00.25' },
        { time: '2026-03-01T04:00:00.25Z' },
        { time: '2026-03-01T04:00:00.25Z' },
        { time: '2026-03-01 12:00:00' },
        { time: 1 },
      ],
    })
  assert.deepEqual(withTimes({ collectTime: zoned }, ingest), {
    collectTime: '2026-03-01T04:00:00.25Z',
  })
})

test('an instant is refused where the zone of the structure is not known', () => {
  for (const time of [instant, zoned])
    assert.throws(() => withTimes({ startTime: time }, { ...window, timeZone: undefined }), {
      name: 'TypeError',
      message: /^startTime is an instant/,
    })
})

test('what is no time stays as it is', () => {
  const input = { a: 1, b: null, c: [1, null, 'x'], d: undefined, e: { time: plain } }

  assert.deepEqual(withTimes(input, window), input)
})

test('the time of a response is read by Temporal of the runtime, or by a library', () => {
  assert.ok(readTime('2026-03-01 12:00:00').equals(plain.with({ millisecond: 0 })))
  const library = { PlainDateTime: { from: (text: string) => ({ text }) } }
  assert.deepEqual(readTime('2026-03-01 12:00:00', library), { text: '2026-03-01T12:00:00' })
})
