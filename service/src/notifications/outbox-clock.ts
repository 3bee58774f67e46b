import type { BackOff } from '../domain/notifications/back-off.ts'
import type { NotificationRule } from '../domain/notifications/notification-rule.ts'
import { WaitingAge } from '../domain/notifications/waiting-age.ts'
import type { LongestWaits, DeliveryStore } from '../storage/storage.ts'
import type { FloodGuard } from './channel-sender.ts'

type OutboxClockOptions = {
  storage: { deliveries: Pick<DeliveryStore, 'bringForward' | 'list'> }
  rules: readonly NotificationRule[]
  backOff: BackOff
  flood: FloodGuard
  now(): number
  /** A monotonic clock in milliseconds. */
  monotonic?: (() => number) | undefined
}

const DAY = 86_400_000
const HOUR = 3_600_000
/** How often waiting times are checked while the clock is not set back. */
const CHECK_MILLISECONDS = 60_000

/** Corrects waiting times of the outbox after the clock was ahead, and measures their age by running time. */
export class OutboxClock {
  readonly #options: OutboxClockOptions
  readonly #longest: LongestWaits
  readonly #monotonic: () => number
  #age: WaitingAge | undefined
  #checkedAt = -Infinity
  #lastNow = -Infinity

  constructor(options: OutboxClockOptions) {
    this.#options = options
    this.#longest = longestWaits(options)
    this.#monotonic = options.monotonic ?? (() => performance.now())
  }

  /** Brings deliveries forward that a clock that was ahead has delayed, and notes the newest one. */
  async check(): Promise<void> {
    const { storage, now: clock } = this.#options
    const now = clock()
    const running = this.#monotonic()
    if (now < this.#lastNow || running - this.#checkedAt >= CHECK_MILLISECONDS) {
      await storage.deliveries.bringForward(now, this.#longest)
      this.#checkedAt = running
    }
    this.#lastNow = now
    if (this.#age?.isDue(running) ?? true) await this.#noteNewest()
  }

  /** The last delivery that has waited long enough by the running time to be given up. */
  oldUpTo(): number {
    return this.#age?.oldUpTo(this.#monotonic()) ?? 0
  }

  async #noteNewest(): Promise<void> {
    const { storage, backOff } = this.#options
    const [newest] = await storage.deliveries.list({ limit: 1 })
    const last = newest?.id ?? 0
    const now = this.#monotonic()
    this.#age ??= new WaitingAge({
      lastBefore: last,
      now,
      term: backOff.giveUpAfter,
      least: backOff.longest,
    })
    this.#age.see(last, now)
  }
}

function longestWaits({ rules, backOff, flood }: OutboxClockOptions): LongestWaits {
  const hasQuietHours = rules.some(({ quietHours = [] }) => quietHours.length > 0)
  return {
    retry: backOff.longest,
    summary: flood.seconds * 1000,
    reminder: Math.max(
      ...rules.map(({ reminderEvery = 0 }) => reminderEvery * 1000),
      // Quiet hours last at most a day, and an hour more when daylight saving time ends.
      hasQuietHours ? DAY + HOUR : 0,
    ),
  }
}
