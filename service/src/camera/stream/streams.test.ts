import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { FakeCameras } from './_fake-camera.ts'
import { tables } from './_mux.ts'
import type { StreamsOptions } from './streams.ts'

/** Cameras on a clock that the test moves. */
function start(t: TestContext, options: Partial<StreamsOptions> = {}) {
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['setInterval'] })
  const cameras = new FakeCameras(options)
  return { cameras, ...clockOf(t, cameras) }
}

const clockOf = (t: TestContext, cameras: FakeCameras) => ({
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      cameras.passSecond()
      t.mock.timers.tick(1000)
      await settle()
    }
  },
})

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await setImmediate()
}

const sourceOf = (id: number) => `rtsp://h/${id}`
const watch = ({ streams }: FakeCameras, id = 1) =>
  streams.watch({ id, source: sourceOf(id) }, { source: sourceOf(id) })

const namesIn = (playlist: string): string[] =>
  Array.from(playlist.matchAll(/^(\d+\.ts)$/gm), ([, name = '']) => name)

describe('a stream', () => {
  test('is one ffmpeg for all who watch it, and publishes what it writes', async (t) => {
    const { cameras } = start(t)
    const [one, other] = [watch(cameras), watch(cameras)]
    await settle()
    const waiting = one.playlist()
    cameras.all[0]?.write(6)
    await settle()

    assert.equal(one, other)
    assert.equal(cameras.all.length, 1)
    assert.ok(namesIn(await waiting).length >= 1)
    const names = namesIn(await one.playlist())
    assert.equal(names.length, 2)
    assert.ok(names.every((name) => one.segment(name) !== undefined))
    assert.equal(one.segment('1.ts'), undefined)
    await cameras.streams[Symbol.asyncDispose]()
  })

  test('ends when nobody has watched it for a while, and begins again with higher numbers', async (t) => {
    const { cameras, pass } = start(t)
    const stream = watch(cameras)
    await settle()
    cameras.all[0]?.write(6)
    await settle()
    const before = namesIn(await stream.playlist())
    await pass(29)
    const later = cameras.running().length
    await pass(2)

    assert.deepEqual([later, cameras.running().length, cameras.streams.states().length], [1, 0, 0])
    const again = watch(cameras)
    await settle()
    cameras.all.at(-1)?.write(6)
    await settle()
    const [first = ''] = namesIn(await again.playlist())
    assert.ok(Number.parseInt(first) > Number.parseInt(before.at(-1) ?? ''), first)
    await cameras.streams[Symbol.asyncDispose]()
  })

  test('is started again after 1, 2, 4 … 30 seconds while somebody watches', async (t) => {
    const { cameras, pass } = start(t, { idleSeconds: 1000 })
    watch(cameras)
    const began: number[] = []
    for (let second = 0; second < 140; second++) {
      await pass(1)
      for (const ffmpeg of cameras.running()) {
        began.push(second)
        ffmpeg.end('The camera hung up.')
        await settle()
      }
    }

    const pauses = began.slice(1).map((second, at) => second - (began[at] ?? 0))
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30, 30].slice(0, pauses.length))
    assert.ok(pauses.length >= 7)
    await cameras.streams[Symbol.asyncDispose]()
  })

  test('says why nothing comes, and goes on with a discontinuity when it comes again', async (t) => {
    const { cameras, pass } = start(t, { idleSeconds: 1000 })
    const stream = watch(cameras)
    await settle()
    cameras.all[0]?.write(6)
    await settle()
    cameras.failing.set(sourceOf(1), 'The camera is gone.')
    cameras.all[0]?.end('The camera hung up.')
    await pass(2)
    const kept = await stream.playlist()
    await pass(30)
    const refused = await stream.playlist().catch((error: unknown) => error)
    const [name = ''] = namesIn(kept)
    const stale = stream.segment(name)
    cameras.failing.clear()
    await pass(31)
    cameras.all.at(-1)?.write(6)
    await settle()
    const playlist = await stream.playlist()

    assert.equal(namesIn(kept).length, 3)
    assert.ok(refused instanceof RefusedError)
    assert.equal(refused.message, 'The camera is gone.')
    assert.equal(stale, undefined, 'what it showed is not the present')
    assert.equal(stream.state.problem, null)
    assert.ok(namesIn(playlist).length >= 2)
    await cameras.streams[Symbol.asyncDispose]()
  })

  test('has no keyframe for a picture, and no playlist, that is not the present', async (t) => {
    const { cameras, pass } = start(t, { idleSeconds: 1000 })
    const stream = watch(cameras)
    await settle()
    cameras.all[0]?.write(6)
    await pass(9)
    const present = stream.keyframe()
    // What goes on coming holds no picture.
    cameras.all[0]?.ts.write(tables())
    await pass(3)

    assert.ok(present !== undefined)
    assert.equal(stream.keyframe(), undefined)
    await pass(9)
    await assert.rejects(stream.playlist(), /^RefusedError: ffmpeg gave no picture/)
    await cameras.streams[Symbol.asyncDispose]()
  })

  test('whose ffmpeg hangs is started again', async (t) => {
    const { cameras, pass } = start(t, { idleSeconds: 1000 })
    const stream = watch(cameras)
    await settle()
    cameras.all[0]?.write(6)
    await pass(21)

    assert.equal(cameras.all[0]?.isRunning, false)
    assert.equal(stream.state.problem, 'ffmpeg gave no picture for 20 seconds.')
    await pass(2)
    assert.equal(cameras.running().length, 1)
    await cameras.streams[Symbol.asyncDispose]()
  })

  test('is transcoded from the moment at which it proves to be no H.264', async (t) => {
    const { cameras } = start(t)
    const stream = watch(cameras)
    await settle()
    cameras.all[0]?.write(2, 0x24)
    await settle()
    cameras.all[1]?.write(6)
    await settle()

    assert.deepEqual(
      cameras.all.map(({ kind, isRunning }) => [kind, isRunning]),
      [
        ['copy', false],
        ['transcode', true],
      ],
    )
    assert.equal(namesIn(await stream.playlist()).length, 2)
    await cameras.streams[Symbol.asyncDispose]()
  })
})

describe('streams', () => {
  test('of cameras that give nothing make room for others', async (t) => {
    const { cameras, pass } = start(t)
    cameras.failing.set(sourceOf(1), 'The camera is gone.')
    watch(cameras, 1)
    watch(cameras, 2)
    await pass(1)
    watch(cameras, 3)
    await settle()

    assert.deepEqual(
      [1, 2, 3].map((id) => cameras.running(sourceOf(id)).length),
      [0, 1, 1],
    )
    await cameras.streams[Symbol.asyncDispose]()
  })

  test('beyond the limit are refused, until one has been unused for eight seconds', async (t) => {
    const { cameras, pass } = start(t)
    watch(cameras, 1)
    watch(cameras, 2)
    await pass(1)

    assert.throws(() => watch(cameras, 3), /^RefusedError: 2 streams play already/)
    await pass(8)
    watch(cameras, 2)
    watch(cameras, 3)
    await settle()

    assert.deepEqual(
      [1, 2, 3].map((id) => cameras.running(sourceOf(id)).length),
      [0, 1, 1],
    )
    await cameras.streams[Symbol.asyncDispose]()
    assert.equal(cameras.running().length, 0)
  })

  test('have one ffmpeg each at most, and none when they ended, whatever happens', async (t) => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('watch'), id: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('write'), id: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('end'), id: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('fail'), id: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('heal'), id: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('pass'), id: fc.integer({ min: 1, max: 40 }) }),
      ),
      { maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { cameras, pass } = start(t)
        for (const { kind, id } of all) {
          if (kind === 'watch')
            try {
              const stream = watch(cameras, id)
              void stream.playlist().catch(() => {})
            } catch (error) {
              assert.ok(error instanceof RefusedError)
            }
          if (kind === 'write') cameras.running(sourceOf(id))[0]?.write(3)
          if (kind === 'end') cameras.running(sourceOf(id))[0]?.end()
          if (kind === 'fail') cameras.failing.set(sourceOf(id), 'The camera is gone.')
          if (kind === 'heal') cameras.failing.delete(sourceOf(id))
          if (kind === 'pass') await pass(id)
          else await settle()
          for (const one of [1, 2, 3]) assert.ok(cameras.running(sourceOf(one)).length <= 1)
          assert.ok(cameras.running().length <= 2)
          assert.ok(cameras.streams.states().length <= 2)
        }
        await pass(42)
        assert.equal(cameras.running().length, 0, 'an idle stream goes on')
        assert.deepEqual(cameras.streams.states(), [])
        await cameras.streams[Symbol.asyncDispose]()
      }),
      { numRuns: runs(60) },
    )
  })
})
