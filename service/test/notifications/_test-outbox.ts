import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { pino } from 'pino'
import type { AlarmDetail } from '@plumbline/contract'
import { Catalogue } from '../../src/domain/site/catalogue.ts'
import type { Notification } from '../../src/domain/notifications/notification.ts'
import type { NotificationRule } from '../../src/domain/notifications/notification-rule.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { StoredDelivery, Storage, DeliveryStore } from '../../src/storage/storage.ts'
import { SendError, type Channel } from '../../src/notifications/channel.ts'
import { fanOut } from '../../src/notifications/fan-out.ts'
import { ChannelSender } from '../../src/notifications/channel-sender.ts'
import { alarm, step } from './_alarms.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

export const MINUTE = 60_000

export const HOUR = 60 * MINUTE

export const START = Date.UTC(2026, 2, 1, 12)

export const FLOOD = { messages: 4, seconds: 600 }

const BACK_OFF = { first: 5000, longest: 10 * MINUTE, giveUpAfter: 6 * HOUR }

export const RULES: readonly NotificationRule[] = [
  {
    name: 'all',
    to: ['mail'],
    events: ['new', 'repeated', 'escalated', 'cleared', 'confirmed'],
    quietHours: [{ from: '22:00', to: '06:00', exceptLevels: [1] }],
    reminderEvery: 1800,
  },
  { name: 'worst', to: ['mail', 'hook'], levels: [1] },
  { name: 'third', to: ['hook'], levels: [3], reminderEvery: 600 },
]

export const CHANNELS = ['mail', 'hook'] as const

/** How a receiver responds to the next message. */
export type ReceiverState = 'takes' | 'down' | 'refuses' | 'refusesFirst' | 'crash'

type Received = { channel: string; message: Notification; at: number; isConfirmed: boolean }

/** An outbox with its receivers and a held clock. */
export class TestOutbox implements AsyncDisposable {
  readonly storage: Storage
  readonly received: Received[] = []
  readonly crashed = new Set<string>()
  readonly receiverStates = new Map<string, ReceiverState>(CHANNELS.map((name) => [name, 'takes']))
  readonly steps = new Map<number, { details: AlarmDetail[]; state: number; level: number }>()
  readonly transitions: { alarm: number; step: number; level: number; state: number }[] = []
  readonly endedAt = new Map<number, number>()
  now = START
  jitter = 0.5
  #isDead = false
  #senders = new Map<string, ChannelSender>()
  readonly #folder: string

  private constructor(storage: Storage, folder: string) {
    this.storage = storage
    this.#folder = folder
  }

  /** Deletes an alarm that the service itself would keep. */
  deleteAlarm(id: number): void {
    const database = new Sqlite(join(this.#folder, 'plumbline.db'))
    database.function('row_check', { varargs: true }, () => 0)
    database.prepare('delete from alarms where id = ?').run(id)
    database.close()
  }

  static async open(): Promise<TestOutbox> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-outbox-'))
    return new TestOutbox(await openSqlite(folder, { synchronous: 'OFF' }), folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.storage[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Stores a transition of an alarm as the engine does: a new alarm gets the next id. */
  async addTransition(of: number, state: 0 | 1 | 2 | 3 | 4, level: number, isLate: boolean) {
    const known = this.steps.get(of)
    const id = known === undefined ? this.steps.size + 1 : of
    if (known === undefined ? state !== 0 : known.state >= 3 || state === 0) return
    const details = [...(known?.details ?? []), step({ alarmState: state, currentLevel: level })]
    this.steps.set(id, { details, state, level })
    if (state >= 3) this.endedAt.set(id, this.now)
    const { now } = this
    await storeAlarms(this.storage, [{ ...alarm(id, { state, level }), details }], { isLate, now })
    this.transitions.push({ alarm: id, step: details.length - 1, level, state })
  }

  async round(): Promise<void> {
    const { signal } = new AbortController()
    await fanOut(
      {
        storage: this.storage,
        catalogue: async () => NO_SITE,
        rules: RULES,
        log: SILENT,
        now: () => this.now,
      },
      signal,
    )
    for (const name of await this.storage.deliveries.listDueChannels(this.now)) {
      const cut = new AbortController()
      this.#isDead = false
      await this.#sender(name, cut).sendDue({ stop: signal, abort: cut.signal })
      // A crashed process has no memory.
      if (this.#isDead) this.#senders.clear()
    }
  }

  list(): Promise<StoredDelivery[]> {
    return this.storage.deliveries.list({ limit: 10_000 })
  }

  #sender(name: string, cut: AbortController): ChannelSender {
    const known = this.#senders.get(name)
    this.#cut = cut
    if (known !== undefined) return known
    const sender = new ChannelSender({
      storage: { ...this.storage, deliveries: this.#mortal() },
      channel: this.#channel(name),
      backOff: BACK_OFF,
      flood: FLOOD,
      log: SILENT,
      now: () => this.now,
      trustedNow: () => this.now,
      oldUpTo: () => Infinity,
      random: () => this.jitter,
      recordMilliseconds: 1,
    })
    this.#senders.set(name, sender)
    return sender
  }

  #cut = new AbortController()

  /** A dead process stores nothing. */
  #mortal(): DeliveryStore {
    const { deliveries } = this.storage
    const complete: DeliveryStore['complete'] = async (...given) => {
      if (this.#isDead) throw new Error('the process is gone')
      return deliveries.complete(...given)
    }
    return { ...deliveries, complete }
  }

  #channel(name: string): Channel {
    return {
      name,
      send: async (message) => {
        const receiverState = this.receiverStates.get(name)!
        if (receiverState === 'down') throw new SendError('no route')
        const isFirst = message.id === 'alarm-1-0'
        if (receiverState === 'refuses' || (receiverState === 'refusesFirst' && isFirst))
          throw new SendError('no such thing', { isAboutMessage: true })
        const isConfirmed = receiverState !== 'crash'
        this.received.push({ channel: name, message, at: this.now, isConfirmed })
        if (isConfirmed) return undefined
        this.receiverStates.set(name, 'takes')
        this.crashed.add(`${name} ${message.id}`)
        this.#isDead = true
        this.#cut.abort()
        return undefined
      },
    }
  }
}

const SILENT = pino({ level: 'silent' })

const NO_SITE = new Catalogue({
  version: 1,
  entries: [],
  defaultGroups: [],
  sensorKeys: new Map(),
})

export const level = fc.integer({ min: 1, max: 3 })
