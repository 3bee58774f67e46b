import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { startServer } from '../_postgres.ts'
import { randomNumbers, runs } from '../_random.ts'
import { AlarmWorkload, THRESHOLDS } from './_alarm-workload.ts'
import { Clients } from './_clients.ts'
import { Forwarder } from './_forwarder.ts'
import { makeDataFolder, type DataFolder } from './_site.ts'
import { NO_DAMAGE, Workload } from './_workload.ts'

const KILLS = runs(20, 5)

/** What the service has after the database is back. */
const BACK_MILLISECONDS = 10_000

/** What a client waits at most for a database that is silent. */
const LONGEST_WAIT_MILLISECONDS = 10_000

/** A service process on a database, with clients that read and write all the time. */
class Service implements AsyncDisposable {
  readonly child: Child
  readonly clients: Clients
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #data: DataFolder
  #failure: Error | undefined

  private constructor(child: Child, data: DataFolder) {
    this.child = child
    this.#data = data
    this.clients = new Clients(child)
    this.#running = this.clients.run(this.#stop.signal).catch(async (error: Error) => {
      await sleep(1_000)
      this.#failure = child.isRunning
        ? error
        : new Error(`the service ended: ${endOf(child.logged)}`)
    })
  }

  static async start(url: string, thresholds?: string): Promise<Service> {
    const data = await makeDataFolder(undefined, thresholds, url)
    return new Service(await startChild(data.folder, { PLUMBLINE_STORAGE: url }), data)
  }

  /** Waits for the clients to succeed; they must within ten seconds. */
  async requireBack(since: number): Promise<number> {
    const milliseconds = await Promise.race([this.clients.untilBack(since), this.#failed()])
    assert.ok(milliseconds < BACK_MILLISECONDS, `back after ${milliseconds} ms`)
    return Math.round(milliseconds)
  }

  /** Ends the clients, which must have heard nothing but successes and honest refusals. */
  async requireHonest(): Promise<void> {
    this.#stop.abort()
    await this.#running
    if (this.#failure !== undefined) throw this.#failure
    assert.deepEqual(this.clients.wrong, [])
    assert.doesNotMatch(this.child.logged, /.*"a request failed".*/)
    assert.ok(this.child.isRunning)
  }

  /** Throws when the clients fail; never returns otherwise. */
  async #failed(): Promise<never> {
    await this.#running
    throw this.#failure ?? new Error('the clients have ended')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.child.kill()
    await this.#data[Symbol.asyncDispose]()
  }
}

const endOf = (text: string): string => text.trimEnd().split('\n').slice(-12).join('\n')

describe('a service whose PostgreSQL', () => {
  test(`is killed ${KILLS} times during ingest loses nothing acknowledged, and is back within 10 s`, async (t) => {
    await using server = await startServer({ durable: true })
    await using service = await Service.start(server.url)
    const workload = new Workload()
    const random = randomNumbers()
    const stop = new AbortController()
    const writing = workload.write(service.child, stop.signal)
    const back: number[] = []

    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(200 + random() * 2_000)
      await server.kill()
      await sleep(200 + random() * 1_800)
      await server.start()
      back.push(await service.requireBack(performance.now()))
    }

    stop.abort()
    await writing
    await service.requireHonest()
    assert.deepEqual(await workload.verify(service.child), NO_DAMAGE)
    const statuses = Object.fromEntries(workload.statuses)
    t.diagnostic(JSON.stringify({ back, writers: statuses, clients: service.clients.statuses }))
    assert.deepEqual(Object.keys(statuses), ['200', '503'])
    assert.ok((service.clients.statuses[503] ?? 0) >= KILLS)
  })

  test(`is killed ${KILLS} times while values cross limits has each alarm and transition once`, async (t) => {
    await using server = await startServer({ durable: true })
    await using service = await Service.start(server.url, THRESHOLDS)
    const random = randomNumbers()
    const workload = new AlarmWorkload(random)
    const stop = new AbortController()
    const writing = workload.write([service.child], stop.signal)

    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(200 + random() * 1_000)
      await server.kill()
      await sleep(200 + random() * 800)
      await server.start()
      await service.requireBack(performance.now())
    }

    stop.abort()
    await writing
    await service.requireHonest()
    await workload.finish(service.child)
    const { missing, extra, different, ...counts } = await workload.verify(service.child)
    t.diagnostic(JSON.stringify(counts))
    assert.deepEqual({ missing, extra, different }, { missing: 0, extra: 0, different: 0 })
    assert.ok(counts.alarms > 0)
  })

  for (const [what, seconds] of [
    ['seconds goes on when it does', 4],
    ['long refuses what waits, and goes on when it does', 15],
  ] as const)
    test(`is paused for ${what}`, async (t) => {
      await using server = await startServer({ durable: true })
      await using service = await Service.start(server.url)
      const workload = new Workload()
      const stop = new AbortController()
      const writing = workload.write(service.child, stop.signal)
      await sleep(500)

      server.pause()
      await sleep(seconds * 1_000)
      server.resume()

      const back = await service.requireBack(performance.now())
      stop.abort()
      await writing
      await service.requireHonest()
      assert.deepEqual(await workload.verify(service.child), NO_DAMAGE)
      const { longestWait, statuses } = service.clients
      t.diagnostic(JSON.stringify({ back, longestWait, statuses }))
      assert.ok(longestWait < LONGEST_WAIT_MILLISECONDS, `waited for ${longestWait} ms`)
    })

  test('is replaced by its synchronous standby loses nothing acknowledged', async (t) => {
    await using primary = await startServer({ durable: true })
    await using standby = await primary.standby()
    await using address = await Forwarder.open(primary.port)
    await using service = await Service.start(address.urlOf(primary.url))
    const workload = new Workload()
    const stop = new AbortController()
    const writing = workload.write(service.child, stop.signal)
    await sleep(1_000)

    await primary.kill()
    await sleep(500)
    address.moveTo(standby.port)
    // Until it is promoted it only reads.
    await sleep(500)
    await standby.promote()

    const back = await service.requireBack(performance.now())
    await sleep(500)
    stop.abort()
    await writing
    await service.requireHonest()
    assert.deepEqual(await workload.verify(service.child), NO_DAMAGE)
    t.diagnostic(JSON.stringify({ back, clients: service.clients.statuses }))
  })
})
