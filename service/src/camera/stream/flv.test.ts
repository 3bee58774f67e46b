import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FLV_HEADER, writeTag, type FlvTag } from './flv-tag.ts'
import { FlvFanOut, FlvReader } from './flv.ts'

const metadata = (name: string): FlvTag => ({
  kind: 'metadata',
  milliseconds: 0,
  body: Buffer.from(name),
})
const sequence = (id: number): FlvTag => ({
  kind: 'sequence',
  milliseconds: 0,
  body: Buffer.from([0x17, 0, 0, 0, 0, id]),
})
const tag = (kind: 'keyframe' | 'picture', milliseconds: number, size = 10): FlvTag => {
  const body = Buffer.alloc(size)
  body.set([kind === 'keyframe' ? 0x17 : 0x27, 1])
  return { kind, milliseconds, body }
}
const keyframe = (milliseconds: number, size?: number): FlvTag =>
  tag('keyframe', milliseconds, size)
const picture = (milliseconds: number, size?: number): FlvTag => tag('picture', milliseconds, size)

const bytesOf = (tags: readonly FlvTag[]): Buffer =>
  Buffer.concat([FLV_HEADER, ...tags.map((one) => writeTag(one, one.milliseconds))])

function readTags(chunks: readonly Buffer[]): FlvTag[] {
  const tags: FlvTag[] = []
  const reader = new FlvReader({ onTag: (one) => tags.push(one) })
  for (const chunk of chunks) reader.push(chunk)
  return tags
}

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
    (one, other) => one - other,
  )
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end))
}

describe('the tags of FLV', () => {
  const tags = [metadata('a'), sequence(1), keyframe(0), picture(40), picture(2 ** 31 + 5)]
  const sound = Buffer.from(writeTag(picture(3), 3)).fill(8, 0, 1)
  const endOfSequence = writeTag({ ...picture(3), body: Buffer.from([0x17, 2, 0, 0, 0]) }, 3)

  test('are those of H.264, whatever their time', () => {
    const found = readTags([bytesOf(tags), sound, endOfSequence, writeTag(picture(9), 9)])

    assert.deepEqual(found, [...tags, picture(9)])
  })

  test('are the same however the bytes are cut', () => {
    const property = fc.property(fc.array(fc.nat()), (places) =>
      assert.deepEqual(readTags(cut(bytesOf(tags), places)), tags),
    )
    fc.assert(property)
  })

  test('end where the bytes are damaged', () => {
    const damaged = writeTag(picture(80), 80)
    damaged.writeUInt32BE(1, damaged.length - 4)
    const tooLarge = writeTag(picture(80, 9_000_000), 80)
    const otherwise = bytesOf(tags).fill('G', 0, 1)

    assert.deepEqual(readTags([bytesOf(tags), damaged, bytesOf(tags)]), tags)
    assert.deepEqual(readTags([bytesOf(tags), tooLarge, writeTag(picture(90), 90)]), tags)
    assert.deepEqual(readTags([otherwise]), [])
  })

  test('can be anything without an error', () => {
    const property = fc.property(fc.array(fc.uint8Array({ maxLength: 80 })), (chunks) => {
      readTags([FLV_HEADER, ...chunks.map((chunk) => Buffer.from(chunk))])
    })
    fc.assert(property)
  })
})

/** A client that reads when it is told to. */
class Client {
  readonly #bytes: AsyncGenerator<Buffer>
  readonly received: Buffer[] = []
  isOver = false

  constructor(fanOut: FlvFanOut, signal: AbortSignal = new AbortController().signal) {
    this.#bytes = fanOut.join(signal)
  }

  /** Reads once, and waits for what comes of it only as long as it is there. */
  async read(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      void this.#bytes.next().then(({ value, done }) => {
        if (done === true) this.isOver = true
        else this.received.push(value)
      })
      await settled()
    }
  }

  leave(): Promise<unknown> {
    return this.#bytes.return(undefined)
  }

  get shape(): string {
    return shape(readTags(this.received))
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** `M` metadata, `S` sequence parameters with their id, `K` keyframes, `p` pictures, with times. */
const shape = (tags: readonly FlvTag[]): string =>
  tags
    .map(({ kind, milliseconds, body }) => {
      if (kind === 'metadata') return `M${milliseconds}`
      if (kind === 'sequence') return `S${body[5]}@${milliseconds}`
      return `${kind === 'keyframe' ? 'K' : 'p'}${milliseconds}`
    })
    .join(' ')

type Made = { fanOut: FlvFanOut; pass(milliseconds: number): void }

function begun(maxBytes?: number): Made {
  let time = 0
  const limit = maxBytes === undefined ? {} : { maxBytes }
  const fanOut = new FlvFanOut({ ...limit, now: () => time })
  fanOut.add(metadata('a'))
  fanOut.add(sequence(1))
  return { fanOut, pass: (milliseconds) => (time += milliseconds) }
}

describe('a client of a stream', () => {
  test('begins with the newest keyframe, at the time 0', async () => {
    const { fanOut } = begun()
    for (const one of [keyframe(0), picture(40), keyframe(80), picture(120)]) fanOut.add(one)

    const client = new Client(fanOut)
    await client.read(6)
    fanOut.add(picture(160))
    await settled()

    assert.deepEqual(client.received[0], FLV_HEADER)
    assert.equal(client.shape, 'M0 S1@0 K0 p40 p80')
  })

  test('gets the header at once, and pictures when the stream has some', async () => {
    const { fanOut } = begun()
    const client = new Client(fanOut)
    await client.read(6)
    const before = client.received.length
    for (const one of [picture(0), keyframe(40), picture(80)]) fanOut.add(one)
    await settled()

    assert.equal(before, 1)
    assert.equal(client.shape, 'M0 S1@0 K0 p40')
  })

  test('gets no picture before the sequence parameters', async () => {
    const fanOut = new FlvFanOut({ now: () => 0 })
    const client = new Client(fanOut)
    await client.read(9)
    for (const one of [keyframe(0), sequence(1), picture(40), keyframe(80)]) fanOut.add(one)
    await settled()

    assert.equal(client.shape, 'S1@0 K0')
  })

  test('gets new sequence parameters before the next keyframe', async () => {
    const { fanOut } = begun()
    const client = new Client(fanOut)
    await client.read(20)
    const tags = [keyframe(0), sequence(1), picture(40), sequence(2), picture(80), keyframe(120)]
    for (const one of tags) fanOut.add(one)
    await settled()

    assert.equal(client.shape, 'M0 S1@0 K0 p40 S2@120 K120')
  })

  test('goes on in time when ffmpeg was started again, or when there was a gap', async () => {
    const { fanOut } = begun()
    const client = new Client(fanOut)
    await client.read(20)
    for (const one of [keyframe(1000), picture(1040)]) fanOut.add(one)
    fanOut.interrupt()
    const joined = new Client(fanOut)
    await joined.read(9)
    for (const one of [metadata('b'), sequence(1)]) fanOut.add(one)
    for (const one of [keyframe(2000), picture(90_000), picture(7)]) fanOut.add(one)
    await settled()

    assert.equal(client.shape, 'M0 S1@0 K0 p40 M80 K80 p120 p160')
    assert.equal(joined.shape, 'M0 S1@0 K0 p40 p80')
  })

  test('goes on in time over the end of the timestamps', async () => {
    const { fanOut } = begun()
    const client = new Client(fanOut)
    await client.read(9)
    for (const one of [keyframe(2 ** 32 - 10), picture(30)]) fanOut.add(one)
    await settled()

    assert.equal(client.shape, 'M0 S1@0 K0 p40')
  })

  test('that is slow skips to a keyframe, and others do not', async () => {
    const { fanOut } = begun(100)
    const [slow, fast] = [new Client(fanOut), new Client(fanOut)]
    await Promise.all([slow.read(), fast.read(20)])
    const tags = [keyframe(0, 50), picture(40, 50), picture(80), keyframe(120), picture(160)]
    for (const one of tags) {
      fanOut.add(one)
      await settled()
    }
    await slow.read(6)

    assert.equal(fast.shape, 'M0 S1@0 K0 p40 p80 K120 p160')
    assert.equal(slow.shape, 'M0 S1@0 K0 p40')
  })

  test('that is fast gets pictures that are larger than what may wait', async () => {
    const { fanOut } = begun(100)
    const client = new Client(fanOut)
    await client.read(9)
    for (const one of [keyframe(0, 300), picture(40), picture(80, 300)]) {
      fanOut.add(one)
      await settled()
    }

    assert.equal(client.shape, 'M0 S1@0 K0 p40 p80')
  })

  test('that joins while the pictures since the keyframe are too many waits for the next one', async () => {
    const { fanOut } = begun(100)
    for (const one of [keyframe(0, 60), picture(40, 60), picture(80)]) fanOut.add(one)
    const client = new Client(fanOut)
    await client.read(9)
    for (const one of [picture(120), keyframe(160)]) fanOut.add(one)
    await settled()

    assert.equal(client.shape, 'M0 S1@0 K0')
  })

  test('that reads nothing for 30 seconds is let go', async () => {
    const { fanOut, pass } = begun(100)
    const [stuck, reading] = [new Client(fanOut), new Client(fanOut)]
    await Promise.all([stuck.read(), reading.read()])
    for (let second = 0; second <= 31; second++) {
      fanOut.add(keyframe(second * 1000, 60))
      pass(1000)
      await reading.read(3)
    }

    assert.equal(fanOut.viewers, 1)
    await stuck.read()
    assert.deepEqual([stuck.isOver, reading.isOver], [true, false])
  })

  test('that has read everything is kept through a long silence', async () => {
    const { fanOut, pass } = begun()
    const client = new Client(fanOut)
    fanOut.add(keyframe(0))
    await client.read(4)
    pass(60_000)
    for (const one of [picture(40), picture(80)]) fanOut.add(one)
    await client.read(2)

    assert.equal(client.shape, 'M0 S1@0 K0 p40 p80')
  })

  test('leaves with its signal, whether it waits or not, or by itself', async () => {
    const { fanOut } = begun()
    const ends = new AbortController()
    const [waiting, behind] = [new Client(fanOut, ends.signal), new Client(fanOut, ends.signal)]
    const left = new Client(fanOut)
    await Promise.all([waiting.read(9), behind.read(), left.read()])
    fanOut.add(keyframe(0))
    const before = fanOut.viewers
    ends.abort()
    await behind.read()
    await left.leave()
    const listening = getEventListeners(ends.signal, 'abort')
    const late = new Client(fanOut, ends.signal)
    await late.read()

    assert.deepEqual([before, fanOut.viewers], [3, 0])
    assert.deepEqual([waiting.isOver, behind.isOver, late.isOver], [true, true, true])
    assert.deepEqual([late.received, listening], [[], []])
  })
})

describe('any client of any stream', () => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom('keyframe', 'picture', 'picture'), size: fc.nat(60) }),
    fc.record({ sequence: fc.nat(2) }),
    fc.record({ read: fc.nat(4) }),
    fc.constant({ interrupt: true }),
    fc.constant({ join: true }),
  )

  test('gets keyframes, and pictures only behind those that precede them', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { fanOut } = begun(150)
      const clients = [new Client(fanOut)]
      let id = 0
      let current = 1
      for (const one of steps) {
        if ('add' in one) {
          const added = tag(
            one.add === 'keyframe' ? 'keyframe' : 'picture',
            ++id * 40,
            one.size + 9,
          )
          added.body.writeUInt16BE(id, 5)
          added.body.writeUInt16BE(current, 7)
          fanOut.add(added)
        } else if ('sequence' in one) {
          fanOut.add(sequence(one.sequence))
          current = one.sequence
        } else if ('read' in one) {
          await Promise.all(clients.map((client) => client.read(one.read)))
        } else if ('join' in one) clients.push(new Client(fanOut))
        else fanOut.interrupt()
      }
      await Promise.all(clients.map((client) => client.read(80)))
      for (const client of clients) checkReceived(readTags(client.received))
    })
    await fc.assert(property, { numRuns: 60 })
  })
})

function checkReceived(tags: readonly FlvTag[]): void {
  let [time, parameters, last] = [0, -1, 0]
  for (const { kind, milliseconds, body } of tags) {
    assert.ok(milliseconds >= time)
    time = milliseconds
    if (kind === 'sequence') parameters = body[5] ?? -1
    if (kind !== 'keyframe' && kind !== 'picture') continue
    const id = body.readUInt16BE(5)
    assert.equal(body.readUInt16BE(7), parameters)
    if (kind === 'picture') assert.equal(id, last + 1)
    last = id
  }
}
