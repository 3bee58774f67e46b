import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../_child.ts'
import { callHttps, type HttpResponse } from '../_service.ts'
import { KEY, SENSOR, TOKEN } from './_site.ts'

const EVERY_MILLISECONDS = 50

/** The clients wait no longer than this for a response. */
const PATIENCE_MILLISECONDS = 60_000

type Kind = 'read' | 'write' | 'list alarms'

/** A response, with when it was asked for and came, by `performance.now()`. */
type Heard = { kind: Kind; response: HttpResponse; asked: number; at: number }

/** Clients that read, list alarms and write one record again and again, and note what they hear. */
export class Clients {
  readonly #child: Child
  readonly #heard: Heard[] = []

  constructor(child: Child) {
    this.#child = child
  }

  async run(signal: AbortSignal): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    const query = `token=${TOKEN}&stations=1,2`
    const record = { sensor: SENSOR, time: 0, values: { w: 1 } }
    await Promise.all([
      this.#repeat('read', signal, agent, `/api/v1/stations/theme/data?${query}&limit=5`),
      this.#repeat('list alarms', signal, agent, `/api/v1/users/1/alarms?token=${TOKEN}`, ''),
      this.#repeat('write', signal, agent, '/ingest/v1/raw', JSON.stringify({ records: [record] })),
    ])
    agent.destroy()
  }

  /** How many responses came, by status. */
  get statuses(): Record<number, number> {
    const counts: Record<number, number> = {}
    for (const { response } of this.#heard)
      counts[response.status] = (counts[response.status] ?? 0) + 1
    return counts
  }

  /** The responses that are neither a success nor an honest refusal. */
  get wrong(): string[] {
    return this.#heard.flatMap(({ kind, response }) => {
      const { status, headers, text } = response
      if (status === 200) return []
      const isHonest =
        status === 503 &&
        text.startsWith('{"name":"Unavailable"') &&
        Number(headers['retry-after']) > 0
      return isHonest ? [] : [`${kind}: ${status} ${text} Retry-After ${headers['retry-after']}`]
    })
  }

  /** The milliseconds after an instant until each client succeeds with what it asks then. */
  async untilBack(since: number): Promise<number> {
    const end = performance.now() + PATIENCE_MILLISECONDS
    for (;;) {
      const first = (['read', 'write', 'list alarms'] as const).map((kind) =>
        this.#heard.find(
          (one) => one.kind === kind && one.asked >= since && one.response.status === 200,
        ),
      )
      if (first.every((one) => one !== undefined))
        return Math.max(...first.map(({ at }) => at - since))
      if (performance.now() > end) throw new Error('the service did not come back')
      await sleep(EVERY_MILLISECONDS)
    }
  }

  /** The longest time that a client has waited for a response. */
  get longestWait(): number {
    return Math.max(0, ...this.#heard.map(({ asked, at }) => at - asked))
  }

  async #repeat(
    kind: Kind,
    signal: AbortSignal,
    agent: Agent,
    path: string,
    body?: string,
  ): Promise<void> {
    while (!signal.aborted) {
      const asked = performance.now()
      const response = await callHttps(`${this.#child.origin}${path}`, this.#child.certificate, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${kind === 'write' ? KEY : TOKEN}`,
          ...(body === undefined || body === '' ? {} : { 'content-type': 'application/json' }),
        },
        body: body === '' ? undefined : body,
        agent,
      })
      this.#heard.push({ kind, response, asked, at: performance.now() })
      await sleep(EVERY_MILLISECONDS)
    }
  }
}
