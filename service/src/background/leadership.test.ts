import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { Leadership } from './leadership.ts'
import { openAsLeader, type LeaderPart } from './open-as-leader.ts'
import type { LeaseStore } from '../storage/storage.ts'

const NAME = 'mqtt site'
const TERM = 10_000

/** Milliseconds that closing takes. */
const CLOSE = 1000

/** Lets all work run that waits for promises only. */
const runPromises = () => new Promise((resolve) => setImmediate(resolve))

/** Leases in memory, and the instances that request one of them. */
class World {
  readonly #timers: TestContext['mock']['timers']
  readonly others: number[] = []
  readonly failures: string[] = []
  instances: Instance[] = []
  /** The most parts that were open at a time. */
  most = 0
  lease: { holder: string; until: number } | undefined

  constructor(test: TestContext) {
    this.#timers = test.mock.timers
    this.#timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: 0 })
  }

  get openCount(): number {
    return this.instances.filter(({ isOpen }) => isOpen).length
  }

  async start(): Promise<Instance> {
    const instance = new Instance(this, this.instances.length)
    this.instances.push(instance)
    await instance.start()
    return instance
  }

  /** Advances the time in small steps, so that each timer runs after those before it. */
  async pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 250) {
      this.#timers.tick(Math.min(left, 250))
      await runPromises()
    }
  }

  async end(): Promise<void> {
    for (const instance of this.instances) await instance.stop()
    this.#timers.reset()
  }
}

/** `blocks`: requests wait; `respondsLate`: requests are carried out, and their results wait. */
type DatabaseState = 'works' | 'fails' | 'blocks' | 'respondsLate'

class Instance {
  readonly #world: World
  readonly #at: number
  readonly #held: (() => void)[] = []
  #database: DatabaseState = 'works'
  #lease: LeaderPart<AsyncDisposable> | undefined
  isOpen = false

  constructor(world: World, at: number) {
    this.#world = world
    this.#at = at
  }

  async start(): Promise<void> {
    this.#lease = await openAsLeader({
      name: NAME,
      leases: this.leases,
      open: () => this.#open(),
      onOther: () => void this.#world.others.push(this.#at),
      log: { warn: (sentence) => void this.#world.failures.push(sentence), info: () => {} },
      now: () => Date.now(),
    })
  }

  get opened(): boolean {
    return this.#lease?.opened !== undefined
  }

  /** Sets the state of its database; requests that wait go on when it works or fails. */
  async setDatabase(state: DatabaseState): Promise<void> {
    this.#database = state
    if (state === 'blocks' || state === 'respondsLate') return
    for (const goOn of this.#held.splice(0)) goOn()
    await runPromises()
  }

  async stop(): Promise<void> {
    await this.setDatabase('works')
    const stopped = this.#lease?.[Symbol.asyncDispose]()
    this.#lease = undefined
    await runPromises()
    await this.#world.pass(CLOSE)
    await stopped
  }

  #wait(): Promise<void> {
    return new Promise((goOn) => this.#held.push(goOn))
  }

  #open(): AsyncDisposable {
    this.#world.most = Math.max(this.#world.most, this.#world.openCount + 1)
    this.isOpen = true
    return {
      [Symbol.asyncDispose]: async () => {
        await new Promise((resolve) => setTimeout(resolve, CLOSE))
        this.isOpen = false
      },
    }
  }

  readonly leases: LeaseStore = {
    take: async ({ name, holder, now, until }) => {
      assert.equal(name, NAME)
      if (this.#database === 'fails') throw new Error('the disk is full')
      if (this.#database === 'blocks') await this.#wait()
      const { lease } = this.#world
      const isFree = lease === undefined || lease.holder === holder || lease.until <= now
      if (isFree) this.#world.lease = { holder, until }
      if (this.#database === 'respondsLate') await this.#wait()
      return isFree
    },
    leave: async (_, holder) => {
      if (this.#world.lease?.holder === holder) this.#world.lease = undefined
    },
  }
}

describe('a part that the leader has open', () => {
  test('is open in the first instance, and in the other soon after it closes', async (t) => {
    const world = new World(t)
    const first = await world.start()
    const other = await world.start()
    await world.pass(TERM * 3)

    assert.deepEqual([first.opened, other.opened, world.others], [true, false, [1]])
    await first.stop()
    await world.pass(2500)
    assert.deepEqual([first.isOpen, other.opened], [false, true])
    await world.end()
  })

  test('is closed before the term ends when the lease cannot be renewed', async (t) => {
    for (const [state, why] of [
      ['fails', 'the disk is full'],
      ['blocks', `the lease "${NAME}" was not renewed in time`],
    ] as const) {
      const world = new World(t)
      const first = await world.start()
      await world.pass(5000)

      await first.setDatabase(state)
      await world.pass(6750)
      assert.equal(first.opened, true)
      await world.pass(250 + CLOSE)
      assert.equal(first.isOpen, false)

      await first.setDatabase('works')
      await world.pass(2500)
      assert.equal(first.isOpen, true)
      assert.deepEqual(world.failures, [
        `Leader election of ${NAME} failed: ${why}. The next attempt is in 2.5 s.`,
      ])
      await world.end()
    }
  })

  test('is opened again only after it was closed', async (t) => {
    const world = new World(t)
    const first = await world.start()
    await world.pass(5000)
    await first.setDatabase('blocks')
    await world.pass(7000)
    assert.deepEqual([first.opened, first.isOpen], [false, true])

    await first.setDatabase('works')
    await world.pass(CLOSE + 2500)

    assert.deepEqual([first.opened, world.most], [true, 1])
    await world.end()
  })

  test('is not opened by a response that took longer than the term', async (t) => {
    const world = new World(t)
    const first = await world.start()
    const other = await world.start()
    await other.setDatabase('respondsLate')
    await first.stop()
    await world.pass(TERM * 2)

    await other.setDatabase('works')

    assert.equal(world.most, 1)
    assert.equal(other.isOpen, false)
    await world.pass(2500)
    assert.equal(other.isOpen, true)
    await world.end()
  })

  test('is open at most once at any time, and once when the database works again', async (t) => {
    const at = fc.nat(2)
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.record({ pass: fc.integer({ min: 250, max: 15_000 }) }) },
      {
        weight: 3,
        arbitrary: fc.record({
          at,
          state: fc.constantFrom<DatabaseState>(
            'works',
            'works',
            'fails',
            'blocks',
            'respondsLate',
          ),
        }),
      },
      { weight: 1, arbitrary: fc.record({ restart: at }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 20 }), async (commands) => {
        const world = new World(t)
        try {
          for (let count = 0; count < 3; count++) await world.start()
          for (const one of commands) {
            if ('pass' in one) await world.pass(one.pass)
            else if ('state' in one) await world.instances[one.at]!.setDatabase(one.state)
            else {
              await world.instances[one.restart]!.stop()
              await world.instances[one.restart]!.start()
            }
            assert.equal(world.most, 1)
          }
          for (const instance of world.instances) await instance.setDatabase('works')
          await world.pass(TERM + 5000)
          assert.deepEqual([world.most, world.openCount], [1, 1])
        } finally {
          await world.end()
        }
      }),
      { numRuns: 60 },
    )
  })
})

const nothing = async (): Promise<void> => {}
const never = async (): Promise<void> => assert.fail('it was done')

function lead(world: World, options: { isKept?: boolean } = {}): Leadership {
  const { leases } = new Instance(world, 0)
  return new Leadership({ name: NAME, leases, now: Date.now, termMilliseconds: TERM, ...options })
}

describe('work of the leader', () => {
  test('is done while no other instance does it, and its lease is released at the end', async (t) => {
    const world = new World(t)
    const [one, other] = [lead(world), lead(world)]
    const { promise, resolve } = Promise.withResolvers<void>()
    const working = one.run(() => promise)
    await world.pass(TERM * 2)

    const isDone = await other.run(never)
    resolve()

    assert.deepEqual([isDone, await working, world.lease], [false, true, undefined])
    assert.equal(await other.run(nothing), true)
    await world.end()
  })

  test('is aborted by its signal when another instance takes the lease, and then fails', async (t) => {
    const world = new World(t)
    let reason: Error | undefined
    const working = lead(world).run(async (signal) => {
      await once(signal, 'abort')
      reason = signal.reason
    })
    await world.pass(250)

    world.lease = { holder: 'another', until: TERM * 3 }
    const failed = assert.rejects(working, /another instance has taken the lease "mqtt site"/)
    await world.pass(TERM)

    await failed
    assert.match(reason!.message, /another instance/)
    await world.end()
  })

  test('keeps a lease until its term ends, or its leader releases it', async (t) => {
    const world = new World(t)
    const [one, other] = [lead(world, { isKept: true }), lead(world)]
    await one.run(nothing)
    const kept = await other.run(nothing)
    await world.pass(TERM)
    const expired = await other.run(nothing)
    await one.run(nothing)
    await one[Symbol.asyncDispose]()
    const released = await other.run(nothing)

    assert.deepEqual([kept, expired, released], [false, true, true])
    await world.end()
  })

  test('does not begin when it is stopped before', async (t) => {
    const world = new World(t)

    assert.equal(await lead(world).run(never, AbortSignal.abort()), false)
    assert.equal(world.lease, undefined)
    await world.end()
  })
})
