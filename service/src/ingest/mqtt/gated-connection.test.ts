import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { Budget } from '../../concurrency/budget.ts'
import { GatedConnection, MESSAGE_OVERHEAD } from './gated-connection.ts'

const LIMITS = { smallPacketBytes: 20, messageBytes: 200, waitingBytes: 1000, ownBytes: 0 }
const CONNECT = 1
const PUBLISH = 3

const packet = (type: number, length: number): Buffer => {
  const head = length < 128 ? [length] : [(length % 128) | 0x80, Math.floor(length / 128)]
  return Buffer.concat([Buffer.from([type << 4, ...head]), Buffer.alloc(length, type)])
}

/** A connection, and what passes it. */
function open(budget = new Budget(10_000), limits = LIMITS) {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const rejects: string[] = []
  const passed: Buffer[] = []
  const connection = new GatedConnection(socket as Socket, {
    limits,
    budget,
    refuse: (reason) => rejects.push(reason),
  })
  connection.on('data', (bytes: Buffer) => passed.push(bytes))
  return {
    socket,
    connection,
    rejects,
    bytes: () => Buffer.concat(passed),
    async send(chunk: Uint8Array) {
      if (socket.destroyed) return
      socket.push(chunk)
      for (let turns = 0; turns < 8; turns++) await turn()
    },
  }
}

/** Sends bytes cut at places: the refusals, or without any the bytes that have passed. */
const run = async (bytes: Buffer, places: readonly number[]) => {
  const gate = open()
  let from = 0
  for (const to of [...places.toSorted((one, other) => one - other), bytes.length]) {
    await gate.send(bytes.subarray(from, to))
    from = Math.max(from, to)
    gate.connection.admit()
  }
  await gate.send(Buffer.alloc(0))
  return { rejects: gate.rejects, whole: gate.rejects.length > 0 || gate.bytes() }
}

describe('a gated connection', () => {
  test('passes nothing after the first packet before it is admitted', async () => {
    const gate = open()
    const first = packet(CONNECT, 10)
    const message = packet(PUBLISH, 150)

    await gate.send(Buffer.concat([first, message]))
    assert.deepEqual(gate.bytes(), first)
    gate.connection.admit()
    await gate.send(Buffer.alloc(0))

    assert.deepEqual(gate.bytes(), Buffer.concat([first, message]))
    assert.deepEqual(gate.rejects, [])
  })

  for (const [what, bytes, reason] of [
    ['a first packet that is no CONNECT', packet(PUBLISH, 10), /first packet is no CONNECT/],
    ['a CONNECT that announces too much', packet(CONNECT, 21).subarray(0, 2), /than 20 bytes/],
    ['a length of five bytes', Buffer.from([0x10, 255, 255, 255, 255, 1]), /malformed/],
  ] as const)
    test(`refuses ${what}, before its bytes are there`, async () => {
      const gate = open()

      await gate.send(bytes)

      assert.match(gate.rejects.join(), reason)
      assert.ok(gate.socket.destroyed)
      assert.equal(gate.bytes().length, 0)
    })

  test('refuses a large message, and other packets that are larger than before log-in', async () => {
    for (const bytes of [packet(PUBLISH, 201).subarray(0, 3), packet(8, 21).subarray(0, 2)]) {
      const gate = open()
      await gate.send(packet(CONNECT, 10))
      gate.connection.admit()

      await gate.send(bytes)

      assert.equal(gate.rejects.length, 1)
    }
  })

  test('reads no further than its limit, and reads on once a message is stored', async () => {
    const gate = open(new Budget(10_000), { ...LIMITS, waitingBytes: 2 * MESSAGE_OVERHEAD })
    await gate.send(packet(CONNECT, 10))
    gate.connection.admit()
    const message = packet(PUBLISH, 100)

    await gate.send(Buffer.concat([message, message]))
    const before = gate.bytes().length
    gate.connection.takeOver(100)()
    await gate.send(Buffer.alloc(0))

    assert.equal(before, 12 + message.length + 2)
    assert.equal(gate.bytes().length, 12 + 2 * message.length)
  })

  test('takes no more than is free of the shared memory, and releases it when it ends', async () => {
    const budget = new Budget(MESSAGE_OVERHEAD + 100)
    const [first, second] = [open(budget), open(budget)]
    for (const gate of [first, second]) {
      await gate.send(packet(CONNECT, 10))
      gate.connection.admit()
      await gate.send(packet(PUBLISH, 100))
    }
    assert.deepEqual([first.bytes().length, second.bytes().length], [114, 14])

    first.connection.destroy()
    await second.send(Buffer.alloc(0))

    assert.equal(second.bytes().length, 114)
    second.connection.destroy()
    await turn()
    assert.ok(budget.tryTake(MESSAGE_OVERHEAD + 100))
  })

  test('passes small messages while another connection holds the shared memory', async () => {
    const budget = new Budget(MESSAGE_OVERHEAD + 200)
    const limits = { ...LIMITS, waitingBytes: 5000, ownBytes: MESSAGE_OVERHEAD + 100 }
    const [large, small] = [open(budget, limits), open(budget, limits)]
    for (const gate of [large, small]) {
      await gate.send(packet(CONNECT, 10))
      gate.connection.admit()
    }
    await large.send(packet(PUBLISH, 200).subarray(0, 50))
    const message = packet(PUBLISH, 100)

    await small.send(Buffer.concat([message, message]))
    const before = small.bytes().length
    small.connection.takeOver(100)()
    await small.send(Buffer.alloc(0))

    assert.equal(before, 12 + message.length + 2)
    assert.equal(small.bytes().length, 12 + 2 * message.length)
  })

  test('closes a connection that does not complete its message while another one waits', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const budget = new Budget(MESSAGE_OVERHEAD + 100)
    const [slow, other] = [open(budget), open(budget)]
    for (const gate of [slow, other]) {
      await gate.send(packet(CONNECT, 10))
      gate.connection.admit()
    }
    await slow.send(packet(PUBLISH, 100).subarray(0, 50))
    context.mock.timers.tick(40_000)
    assert.equal(slow.socket.destroyed, false)

    await other.send(packet(PUBLISH, 100))
    context.mock.timers.tick(1000)
    await other.send(Buffer.alloc(0))

    assert.match(slow.rejects.join(), /not complete 30 seconds after its header/)
    assert.equal(other.bytes().length, 114)
  })

  test('refuses and passes the same bytes however they are cut', async () => {
    const kinds = fc.constantFrom(CONNECT, PUBLISH, 8, 12)
    const lengths = fc.oneof(fc.nat({ max: 25 }), fc.nat({ max: 220 }))
    const packets = fc.array(
      fc.tuple(kinds, lengths).map(([type, length]) => packet(type, length)),
      { maxLength: 6 },
    )
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 6 })
    const property = fc.asyncProperty(packets, cuts, async (list, places) => {
      const bytes = Buffer.concat([packet(CONNECT, 5), ...list])
      assert.deepEqual(await run(bytes, places), await run(bytes, []))
    })
    await fc.assert(property, { numRuns: runs(60) })
  })
})
