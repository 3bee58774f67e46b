import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { replay, type Arrival, type Confirmation } from '../../src/domain/alarms/_alarm-model.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import type { Child } from '../_child.ts'
import { callHttps, type HttpResponse } from '../_service.ts'
import { KEY, STATIONS, TOKEN } from './_site.ts'
import { toLife } from '../alarms/_model-life.ts'

const EPOCH = Date.UTC(2020, 0, 1)
const UTC = zone('UTC')

/** Thresholds for every station of the site; two normal records in a row clear. */
export const THRESHOLDS = `        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [${Array.from({ length: STATIONS }, (_, at) => at + 1).join()}]
            clearAfter: 2
            items:
              - item: v
                hysteresis: { value: 3 }
                config:
                  - thresholds:
                      - { level: 1, value: '(100,+)' }
                      - { level: 2, value: '(50,100)' }
                      - { level: 3, value: '(10,50)' }
`

const SETTINGS = { clearAfter: 2, needsPerson: false, severity: 'lowestFirst' } as const

type Sent = { second: number; v: number }

/** A confirmation without a response yet; each attempt has a comment of its own. */
type Attempts = { id: number; since: number; comments: string[] }

/** One connection that sends a station's batches, each until it is acknowledged. */
type Sender = {
  station: number
  history: (Sent[] | Confirmation)[]
  isOpen: boolean
  next: number
  attempts: Attempts | undefined
}

type Listed = { id: number; source: { id: string }; [name: string]: unknown }
type Detail = { alarmState: number; content: string; time: string; [name: string]: unknown }

/**
 * Values that cross limits up and down, late and doubled, persons who confirm, and what alarms must
 * come of them.
 */
export class AlarmWorkload {
  readonly #senders: Sender[]
  readonly #random: () => number
  #confirmed = 0
  /** How many of them were stored although their response was lost. */
  #lostResponses = 0

  constructor(random: () => number) {
    this.#random = random
    this.#senders = Array.from({ length: STATIONS - 1 }, (_, at) => {
      return { station: at + 1, history: [], isOpen: false, next: 0, attempts: undefined }
    })
  }

  /**
   * Sends until it is stopped or all instances are gone, each time to any of them; after a lost response
   * the same batch comes first.
   */
  async write(children: readonly Child[], signal: AbortSignal): Promise<void> {
    await Promise.all(this.#senders.map((sender) => this.#writeAll(sender, children, signal)))
  }

  /** Sends every batch without a response again. */
  async finish(child: Child): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    for (const sender of this.#senders) {
      if (sender.isOpen) await this.#send(sender, child, agent)
      if (sender.attempts !== undefined) await this.#confirm(sender, child, agent)
    }
    agent.destroy()
  }

  /** How many alarms and steps are not as the model says, and how many there are. */
  async verify(child: Child) {
    const counts = { alarms: 0, steps: 0, crossings: 0, missing: 0, extra: 0, different: 0 }
    const agent = new Agent({ keepAlive: true })
    const found = await this.#readAlarms(child, agent)
    for (const { station, history } of this.#senders) {
      const arrivals = history.flatMap((one) => (Array.isArray(one) ? one.map(toArrival) : one))
      const { alarms: expected } = replay(arrivals, SETTINGS)
      const lives = found.get(String(station)) ?? []
      counts.missing += Math.max(0, expected.length - lives.length)
      counts.extra += Math.max(0, lives.length - expected.length)
      for (const [at, alarm] of expected.entries()) {
        counts.alarms++
        counts.steps += alarm.steps.length
        counts.crossings += 1 + (alarm.state >= 3 ? 1 : 0)
        const life = lives[at]
        if (life !== undefined && !isDeepStrictEqual(life, toLife(alarm))) counts.different++
      }
    }
    agent.destroy()
    return { ...counts, confirmed: this.#confirmed, lostResponses: this.#lostResponses }
  }

  async #writeAll(sender: Sender, children: readonly Child[], signal: AbortSignal): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!signal.aborted) {
      const running = children.filter(({ isRunning }) => isRunning)
      const child = running[Math.floor(this.#random() * running.length)]
      if (child === undefined) break
      await this.#takeTurn(sender, child, agent).catch(async (error: Error) => {
        if (error instanceof assert.AssertionError) throw error
        await sleep(RETRY_MILLISECONDS)
      })
    }
    agent.destroy()
  }

  async #takeTurn(sender: Sender, child: Child, agent: Agent): Promise<void> {
    if (!sender.isOpen && sender.attempts === undefined && this.#random() < 0.1) {
      const open = await this.#list(child, agent, '&status=new')
      const alarm = open.find(({ source }) => source.id === String(sender.station))
      if (alarm !== undefined)
        sender.attempts = { id: alarm.id, since: secondOf(Date.now()), comments: [] }
    }
    if (sender.attempts !== undefined) return this.#confirm(sender, child, agent)
    if (!sender.isOpen) this.#plan(sender)
    return this.#send(sender, child, agent)
  }

  /** After a lost response an alarm that is closed already was closed by one of the attempts. */
  async #confirm(sender: Sender, child: Child, agent: Agent): Promise<void> {
    const { id, since, comments } = sender.attempts!
    const comment = `visit ${sender.history.length}.${comments.length}`
    const earlier = [...comments]
    comments.push(comment)
    const response = await callHttps(
      `${child.origin}/manage/v1/alarms/${id}/confirm`,
      child.certificate,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ comment }),
        agent,
      },
    )
    const isLost = response.status !== 200
    if (isLost) requireAvailable(response)
    const { content, time } = isLost
      ? await this.#readEnd(child, agent, id, response.text)
      : { content: comment, time: response.json<{ endTime: string }>().endTime }
    const instant = UTC.toInstant(time)!
    if (isLost) assert.ok(earlier.includes(content), `${content} is none of ${earlier.join()}`)
    assert.ok(instant >= since && instant <= Date.now(), time)
    sender.attempts = undefined
    sender.history.push({
      time: instant,
      kind: 'confirmation',
      alarm: 'newest',
      user: '1',
      comment: content,
    })
    this.#confirmed++
    if (isLost) this.#lostResponses++
  }

  /** How an alarm ended of which a refusal says that it is closed. */
  async #readEnd(child: Child, agent: Agent, id: number, refusal: string): Promise<Detail> {
    assert.match(refusal, /closed already/)
    const details = await this.#call<Detail[]>(child, agent, `/alarms/${id}/details`)
    return details.at(-1)!
  }

  /** A batch of the next seconds in any order, some records of before, and now and then doubled. */
  #plan(sender: Sender): void {
    const size = 1 + Math.floor(this.#random() * 6)
    const fresh = Array.from({ length: size }, () => ({
      second: sender.next++,
      v: [0, 0, 0, 8, 20, 60, 120][Math.floor(this.#random() * 7)]!,
    }))
    const known = sender.history.flatMap((one) => (Array.isArray(one) ? one : []))
    const doubled = known.length === 0 ? [] : [known[Math.floor(this.#random() * known.length)]!]
    const batch = [...fresh, ...(this.#random() < 0.5 ? doubled : [])]
      .map((record) => ({ record, at: this.#random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ record }) => record)
    sender.history.push(batch)
    if (this.#random() < 0.2) sender.history.push(batch)
    sender.isOpen = true
  }

  async #send(sender: Sender, child: Child, agent: Agent): Promise<void> {
    const batch = sender.history.at(-1)
    if (!Array.isArray(batch)) throw new Error('a confirmation is not sent as a batch')
    const records = batch.map(({ second, v }) => {
      return { station: sender.station, time: EPOCH + second * 1000, values: { v } }
    })
    const isDoubled = sender.history.at(-2) === sender.history.at(-1)
    for (let time = 0; time < (isDoubled ? 2 : 1); time++) {
      const response = await callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ records }),
        agent,
      })
      requireAvailable(response)
      assert.equal(response.status, 200, response.text)
    }
    sender.isOpen = false
  }

  async #readAlarms(child: Child, agent: Agent) {
    const lives = new Map<string, object[]>()
    const all = await this.#list(child, agent)
    for (const alarm of all.toSorted((a, b) => a.id - b.id)) {
      const { id, source, level, content, count, state, startTime, endTime } = alarm
      const steps = await this.#call<Detail[]>(child, agent, `/alarms/${id}/details`)
      const life = { level, content, count, state, startTime, endTime, steps }
      lives.set(source.id, [...(lives.get(source.id) ?? []), life])
    }
    return lives
  }

  async #list(child: Child, agent: Agent, filter = ''): Promise<Listed[]> {
    const path = `/users/1/alarms?limit=10000${filter}`
    type Page = { alarms: { alarms: Listed[] }[] }
    const { alarms } = await this.#call<Page>(child, agent, path, 'POST')
    return alarms.flatMap((group) => group.alarms)
  }

  async #call<Body>(child: Child, agent: Agent, path: string, method = 'GET'): Promise<Body> {
    const joint = path.includes('?') ? '&' : '?'
    const url = `${child.origin}/api/v1${path}${joint}token=${TOKEN}`
    const response = await callHttps(url, child.certificate, { method, agent })
    requireAvailable(response)
    assert.equal(response.status, 200, response.text)
    return response.json<Body>()
  }
}

/** What a sender waits before it tries again. */
const RETRY_MILLISECONDS = 20

/** A database that is away is no failure of the service: the same is sent again. */
function requireAvailable({ status }: HttpResponse): void {
  if (status === 503) throw new Error('the service is unavailable')
}

const secondOf = (time: number): number => Math.floor(time / 1000) * 1000

const LIMITS = { 1: '(100,+)', 2: '(50,100)', 3: '(10,50)' }

function toArrival({ second, v }: Sent): Arrival {
  const time = EPOCH + second * 1000
  if (v <= 7) return { time, kind: 'normal', content: `back to normal: Value: ${v}` }
  if (v < 10) return { time, kind: 'deadband' }
  const level = v >= 100 ? 1 : v >= 50 ? 2 : 3
  const limit = LIMITS[level]
  return { time, kind: { level }, content: `Value: ${v}, level ${level} threshold ${limit}` }
}
