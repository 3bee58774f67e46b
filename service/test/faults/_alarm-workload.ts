import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { replay, type Arrival } from '../../src/domain/alarms/_alarm-model.ts'
import { zone } from '../../src/domain/local-time.ts'
import type { Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { KEY, STATIONS, TOKEN } from './_site.ts'

const EPOCH = Date.UTC(2020, 0, 1)
const UTC = zone('UTC')

/** Thresholds for every station of the faults' site; two calm records in a row clear. */
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

/** One connection that sends a station's batches, each until it is acknowledged. */
type Sender = { station: number; history: Sent[][]; isOpen: boolean; next: number }

/** Values that cross limits up and down, late and doubled, and what alarms must come of them. */
export class AlarmWorkload {
  readonly #senders: Sender[]
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
    this.#senders = Array.from({ length: STATIONS - 1 }, (_, at) => {
      return { station: at + 1, history: [], isOpen: false, next: 0 }
    })
  }

  /** Sends until it is told to stop or the service is gone; afterwards what is open comes first. */
  async write(child: Child, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#senders.map((sender) => this.#writeAll(sender, child, signal)))
  }

  /** Sends every batch again that nobody has answered for. */
  async finish(child: Child): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    for (const sender of this.#senders) if (sender.isOpen) await this.#send(sender, child, agent)
    agent.destroy()
  }

  /** How many alarms and steps are not as the model says, and how many there are. */
  async verify(child: Child) {
    const counts = { alarms: 0, steps: 0, crossings: 0, missing: 0, extra: 0, different: 0 }
    const agent = new Agent({ keepAlive: true })
    const found = await this.#readAlarms(child, agent)
    for (const { station, history } of this.#senders) {
      const { alarms: expected } = replay(
        history.flatMap((batch) => batch.map(toArrival)),
        SETTINGS,
      )
      const lives = found.get(String(station)) ?? []
      counts.missing += Math.max(0, expected.length - lives.length)
      counts.extra += Math.max(0, lives.length - expected.length)
      for (const [at, { steps, startTime, endTime, ...alarm }] of expected.entries()) {
        counts.alarms++
        counts.steps += steps.length
        counts.crossings += 1 + (alarm.state >= 3 ? 1 : 0)
        const wanted = {
          ...alarm,
          steps,
          startTime: UTC.toLocal(startTime),
          endTime: UTC.toLocal(endTime),
        }
        const life = lives[at]
        if (life !== undefined && JSON.stringify(sorted(life)) !== JSON.stringify(sorted(wanted)))
          counts.different++
      }
    }
    agent.destroy()
    return counts
  }

  async #writeAll(sender: Sender, child: Child, signal: AbortSignal): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let isSent = true
    while (isSent && !signal.aborted) {
      if (!sender.isOpen) this.#plan(sender)
      isSent = await this.#send(sender, child, agent).then(
        () => true,
        (error: Error) => {
          if (error instanceof assert.AssertionError) throw error
          return false
        },
      )
    }
    agent.destroy()
  }

  /** A batch of the next seconds in any order, some records of before, and now and then doubled. */
  #plan(sender: Sender): void {
    const size = 1 + Math.floor(this.#random() * 6)
    const fresh = Array.from({ length: size }, () => ({
      second: sender.next++,
      v: [0, 0, 0, 8, 20, 60, 120][Math.floor(this.#random() * 7)]!,
    }))
    const known = sender.history.flat()
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
    const records = sender.history.at(-1)!.map(({ second, v }) => {
      return { station: sender.station, time: EPOCH + second * 1000, values: { v } }
    })
    const isDoubled = sender.history.at(-2) === sender.history.at(-1)
    for (let time = 0; time < (isDoubled ? 2 : 1); time++) {
      const answer = await callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ records }),
        agent,
      })
      assert.equal(answer.status, 200, answer.text)
    }
    sender.isOpen = false
  }

  async #readAlarms(child: Child, agent: Agent) {
    const call = async <Body>(path: string, method = 'GET'): Promise<Body> => {
      const joint = path.includes('?') ? '&' : '?'
      const url = `${child.origin}/api/v1${path}${joint}token=${TOKEN}`
      const answer = await callHttps(url, child.certificate, { method, agent })
      assert.equal(answer.status, 200, answer.text)
      return answer.json<Body>()
    }
    type Listed = { id: number; source: { id: string }; [name: string]: unknown }
    const { alarms } = await call<{ alarms: { alarms: Listed[] }[] }>(
      '/users/1/alarms?limit=10000',
      'POST',
    )
    const lives = new Map<string, object[]>()
    const all = alarms.flatMap((group) => group.alarms).toSorted((a, b) => a.id - b.id)
    for (const { id, source, level, count, state, startTime, endTime } of all) {
      const details = await call<{ alarmState: number }[]>(`/alarms/${id}/details`)
      const steps = details.map(({ alarmState }) => alarmState)
      const life = { level, count, state, startTime, endTime, steps }
      lives.set(source.id, [...(lives.get(source.id) ?? []), life])
    }
    return lives
  }
}

const sorted = (value: object) => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))

const toArrival = ({ second, v }: Sent): Arrival => ({
  time: EPOCH + second * 1000,
  kind: v >= 10 ? { level: v >= 100 ? 1 : v >= 50 ? 2 : 3 } : v > 7 ? 'near' : 'calm',
})
