import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { callHttps, type HttpResponse } from '../_service.ts'
import type { Child } from '../_child.ts'
import { KEY, SENSOR, STATIONS, TOKEN } from './_site.ts'

const EPOCH = Date.UTC(2020, 0, 1)

/** Records that are always written together: one batch, or a single record. */
type Block = {
  /** The value of its last acknowledged batch. */
  acknowledged: number | undefined
  /** The value of a record batch without a response. */
  open: number | undefined
}

/** One connection that writes batches of one size for one station, again and again. */
type Writer = { station: number; size: number; blocks: Block[]; capacity: number }

/** What a reading of everything showed to be wrong; all of it is empty when the promise holds. */
export type Damage = { lost: string[]; half: string[]; doubled: string[]; foreign: string[] }

export const NO_DAMAGE: Damage = { lost: [], half: [], doubled: [], foreign: [] }

/** What a writer waits where the service is unavailable. */
const RETRY_MILLISECONDS = 100

const SIZES = [1, 1, 7, 60, 250, 1_000, 3_000, 40]

/**
 * Several connections that send batches of several sizes and single records in parallel, and that
 * remember what was acknowledged. Part of the batches replace earlier ones.
 */
export class Workload {
  readonly statuses = new Map<number, number>()
  readonly #writers: Writer[] = SIZES.map((size, at) => ({
    station: at + 1,
    size,
    blocks: [],
    capacity: Math.max(8, Math.min(400, Math.floor(12_000 / size))),
  }))
  /** From one block to the next; left out, they follow each other. */
  readonly #stride: number | undefined
  readonly #isCounted: boolean
  #lastValue = 0

  /** Where days are sealed meanwhile, what is `replaced` may be miscounted. */
  constructor({ stride, isCounted = true }: { stride?: number; isCounted?: boolean } = {}) {
    this.#stride = stride
    this.#isCounted = isCounted
  }

  /** Records that are acknowledged at this moment. */
  get acknowledged(): number {
    return this.#writers.reduce(
      (sum, { blocks, size }) =>
        sum + size * blocks.filter((block) => block.acknowledged !== undefined).length,
      0,
    )
  }

  /** Writes until it is stopped or the service is gone. */
  async write(child: Child, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#writers.map((writer) => this.#writeAll(writer, child, signal)))
  }

  /** Writes one record batch on every connection; returns the responses. */
  async writeOnce(child: Child): Promise<HttpResponse[]> {
    const agent = new Agent({ keepAlive: true })
    const responses = await Promise.all(
      this.#writers.map((writer) => this.#writeBlock(writer, child, agent)),
    )
    agent.destroy()
    return responses
  }

  /** Reads everything back, and takes what is found for what unanswered batches became. */
  async verify(child: Child): Promise<Damage> {
    const damage: Damage = { lost: [], half: [], doubled: [], foreign: [] }
    const agent = new Agent({ keepAlive: true })
    for (const writer of this.#writers) await this.#verifyWriter(writer, child, agent, damage)
    agent.destroy()
    return damage
  }

  async #writeAll(writer: Writer, child: Child, signal: AbortSignal): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!signal.aborted) {
      const response = await this.#writeBlock(writer, child, agent).catch((error: Error) => {
        if (error instanceof assert.AssertionError) throw error
      })
      if (response === undefined) break
      // A batch of which the service does not know whether it is stored is open until it is read.
      if (response.status === 503) await sleep(RETRY_MILLISECONDS)
    }
    agent.destroy()
  }

  async #writeBlock(writer: Writer, child: Child, agent: Agent): Promise<HttpResponse> {
    const { blocks, station, size } = writer
    const value = ++this.#lastValue
    const index = this.#choose(writer, value)
    const block = (blocks[index] ??= { acknowledged: undefined, open: undefined })
    block.open = value
    const isRaw = station === STATIONS
    const source = isRaw ? { sensor: SENSOR } : { station }
    const records = Array.from({ length: size }, (_, at) => ({
      ...source,
      time: EPOCH + index * this.#strideOf(writer) + at * 1000,
      values: { v: value },
    }))
    const response = await callHttps(
      `${child.origin}/ingest/v1/${isRaw ? 'raw' : 'theme'}`,
      child.certificate,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ records }),
        agent,
      },
    )
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1)
    if (response.status !== 200) return response
    const replaced = block.acknowledged === undefined ? 0 : size
    // What became of an unanswered batch is not known before it is read back.
    if (block.open === value && this.#isCounted)
      assert.deepEqual(response.json(), { accepted: size, replaced, rejected: [] })
    block.acknowledged = value
    block.open = undefined
    return response
  }

  #strideOf({ size }: Writer): number {
    return this.#stride ?? size * 1000
  }

  /** A new block, or every third time and when there is no room an earlier one again. */
  #choose({ blocks, capacity }: Writer, value: number): number {
    const known = blocks.flatMap((block, index) => (block.open === undefined ? [index] : []))
    if (known.length > 0 && (blocks.length >= capacity || value % 3 === 0))
      return known[value % known.length]!
    return blocks.length
  }

  async #verifyWriter(writer: Writer, child: Child, agent: Agent, damage: Damage): Promise<void> {
    const { station, size, blocks } = writer
    const found = blocks.map(() => new Map<string, number>())
    const url = `${child.origin}/api/v1/stations/theme/data?token=${TOKEN}&stations=${station}`
    const window = '&startTime=2019-12-31+00:00:00&endTime=2030-01-01+00:00:00'
    const response = await callHttps(url + window, child.certificate, { agent })
    assert.equal(response.status, 200)
    const { stations } = response.json<{ stations: { data: { v: number; time: string }[] }[] }>()
    for (const { v, time } of stations[0]!.data) {
      const instant = Date.parse(`${time.replace(' ', 'T')}Z`) - EPOCH
      const block = found[Math.floor(instant / this.#strideOf(writer))]
      if (block === undefined) damage.foreign.push(`station ${station} at ${time}`)
      else if (block.has(time)) damage.doubled.push(`station ${station} at ${time}`)
      else block.set(time, v)
    }
    for (const [index, block] of blocks.entries())
      this.#verifyBlock(block, found[index]!, size, `station ${station} block ${index}`, damage)
  }

  #verifyBlock(
    block: Block,
    found: ReadonlyMap<string, number>,
    size: number,
    name: string,
    damage: Damage,
  ): void {
    const values = new Set(found.values())
    const [value] = values
    const allowed = [block.acknowledged, block.open].filter((one) => one !== undefined)
    if (values.size > 1 || (found.size > 0 && found.size < size))
      damage.half.push(`${name}: ${found.size} of ${size}, values ${[...values].join(' and ')}`)
    else if (value === undefined && block.acknowledged !== undefined)
      damage.lost.push(`${name}: nothing instead of ${block.acknowledged}`)
    else if (value !== undefined && !allowed.includes(value))
      damage.lost.push(`${name}: ${value} instead of ${allowed.join(' or ')}`)
    block.acknowledged = value
    block.open = undefined
  }
}
