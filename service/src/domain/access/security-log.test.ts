import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SecurityLog } from './security-log.ts'

function withLog(linesPerMinute = 3) {
  const clock = { now: 1_000_000 }
  const lines: { event: string; from?: string; more?: number; text: string }[] = []
  const log = new SecurityLog({
    log: { info: (fields, text) => void lines.push({ ...(fields as { event: string }), text }) },
    linesPerMinute,
    now: () => clock.now,
  })
  return { clock, lines, log }
}

const fail = (log: SecurityLog, from: string) => log.record('security.log-in-failed', { from })

describe('the security log', () => {
  test('writes equal events of a minute once, and then how many more came', () => {
    const { clock, lines, log } = withLog()

    for (let n = 0; n < 1205; n++) fail(log, 'a')
    log.summarize()
    assert.equal(lines.length, 1)
    clock.now += 60_000
    log.summarize()

    assert.equal(lines.length, 2)
    assert.deepEqual(lines[1], {
      event: 'security.log-in-failed',
      from: 'a',
      more: 1204,
      text: 'And 1,204 more in the last minute.',
    })
    assert.equal(log.counts().get('security.log-in-failed'), 1205)
  })

  test('writes no more lines a minute than allowed, and counts the others', () => {
    const { clock, lines, log } = withLog()

    for (let n = 0; n < 10_000; n++) fail(log, `address ${n}`)
    clock.now += 60_000
    fail(log, 'later')

    assert.equal(lines.length, 5)
    assert.equal(lines[3]?.more, 9997)
    assert.equal(lines[4]?.from, 'later')
  })

  test('a flood of one event leaves the lines of the others', () => {
    const { lines, log } = withLog()

    for (let n = 0; n < 100; n++) fail(log, `address ${n}`)
    log.record('security.log-in', { from: 'owner' })

    assert.equal(lines.at(-1)?.event, 'security.log-in')
  })

  test('writes each of several equal changes', () => {
    const { lines, log } = withLog()

    for (let n = 0; n < 3; n++) log.record('security.write', { from: 'a', user: 1 })

    assert.equal(lines.length, 3)
  })

  test('begins a new minute when the clock is set back', () => {
    const { clock, lines, log } = withLog()

    fail(log, 'a')
    clock.now -= 86_400_000
    fail(log, 'a')

    assert.equal(lines.length, 2)
  })

  test('writes what was only counted when it is closed', () => {
    const { lines, log } = withLog()

    for (let n = 0; n < 5; n++) fail(log, 'a')
    log.summarize(true)

    assert.equal(lines.at(-1)?.more, 4)
  })
})
