import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openLogOutput } from './log-output.ts'

/** A file with room for some bytes; beyond that it fails with a code. */
class Disk {
  text = ''
  room = Infinity
  code = 'ENOSPC'

  readonly write = (_descriptor: number, bytes: Uint8Array): number => {
    const count = Math.min(this.room, bytes.length)
    if (count === 0) throw Object.assign(new Error('no'), { code: this.code })
    this.room -= count
    this.text += Buffer.from(bytes.subarray(0, count)).toString()
    return count
  }

  get messages(): unknown[] {
    return this.text
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg)
  }
}

const line = (msg: string): string => `${JSON.stringify({ msg })}\n`

describe('the output of the log', () => {
  test('counts lines that cannot be written and reports their number before the next one', () => {
    const disk = new Disk()
    const output = openLogOutput(2, { write: disk.write })
    output.write(line('first'))

    disk.room = 0
    for (let count = 0; count < 1_204; count++) output.write(line('lost'))
    disk.room = Infinity
    output.write(line('last'))

    assert.deepEqual(disk.messages, [
      'first',
      '1,204 log lines were lost because the log could not be written',
      'last',
    ])
    assert.equal(output.lost(), 1_204)
  })

  test('reports the number also when nothing else is logged', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const disk = new Disk()
    const output = openLogOutput(2, { write: disk.write })
    disk.room = 0
    output.write(line('lost'))
    t.mock.timers.tick(5_000)
    disk.room = Infinity

    t.mock.timers.tick(5_000)

    assert.deepEqual(disk.messages, ['1 log line was lost because the log could not be written'])
  })

  test('begins a new line after one that was cut by a full disk', () => {
    const disk = new Disk()
    const output = openLogOutput(2, { write: disk.write })
    disk.room = 5
    output.write(line('cut'))
    disk.room = Infinity

    output.write(line('whole'))

    assert.ok(disk.text.startsWith(`${line('cut').slice(0, 5)}\n{`), disk.text)
    assert.deepEqual(disk.messages.slice(1), ['whole'])
  })

  test('buffers lines in order while their reader is slow, and counts lines beyond the limit as lost', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const disk = new Disk()
    disk.code = 'EAGAIN'
    const output = openLogOutput(2, { write: disk.write })
    disk.room = 0
    const long = 'x'.repeat(1_000)
    for (let count = 0; count < 3_000; count++) output.write(line(`${count} ${long}`))
    disk.room = Infinity

    t.mock.timers.tick(50)

    const numbers = disk.messages.map((text) => Number(String(text).split(' ')[0]))
    const kept = 3_000 - output.lost()
    assert.ok(kept > 1_000 && kept < 1_100, `${kept}`)
    assert.deepEqual(numbers.slice(0, kept), [...Array(kept).keys()])
    assert.match(String(disk.messages[kept]), /log lines were lost/)
  })

  test('writes or counts every line, in order, with any failures of the disk', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant('write'), fc.nat(120), fc.constant(Infinity))),
        (steps) => {
          const disk = new Disk()
          const output = openLogOutput(2, { write: disk.write })
          let written = 0
          for (const step of steps)
            if (step === 'write') output.write(line(`n ${written++}`))
            else disk.room = step as number
          disk.room = Infinity
          output.write(line(`n ${written++}`))

          const numbers = disk.messages
            .map((text) => /^n (\d+)$/.exec(String(text))?.[1])
            .filter((number) => number !== undefined)
            .map(Number)
          // A line that lacks only its line break is counted as lost and can still be read.
          assert.ok(numbers.length + output.lost() >= written)
          assert.deepEqual(
            numbers,
            numbers.toSorted((a, b) => a - b),
          )
          assert.equal(numbers.at(-1), written - 1)
        },
      ),
    )
  })
})
