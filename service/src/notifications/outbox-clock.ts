import type { BackOff } from '../domain/notifications/back-off.ts'
import type { NotificationRule } from '../domain/notifications/rules.ts'
import { WaitingAge } from '../domain/notifications/waiting-age.ts'
import type { LongestWaits, DeliveryStore } from '../storage/storage.ts'
import type { FloodGuard } from './sender.ts'

export type OutboxClockOptions = {
  storage: { deliveries: Pick<DeliveryStore, 'bringForward' | 'list'> }
  rules: readonly NotificationRule[]
  backOff: BackOff
  flood: FloodGuard
  now(): number
  /** Running time in milliseconds, by a clock that nobody sets. */
  monotonic?: (() => number) | undefined
}

const DAY = 86_400_000
const HOUR = 3_600_000
/** How often the outbox is held against a clock that is not set back. */
const HOLD_MILLISECONDS = 60_000

/** Holds what is in the outbox against the clock and the running time. */
export class OutboxClock {
  readonly #options: OutboxClockOptions
  readonly #longest: LongestWaits
  readonly #monotonic: () => number
  #age: WaitingAge | undefined
  #heldAt = -Infinity
  #seen = -Infinity

  constructor(options: OutboxClockOptions) {
    this.#options = options
    this.#longest = longestWaits(options)
    this.#monotonic = options.monotonic ?? (() => performance.now())
  }

  /** Makes due what a clock that was ahead has put off, and learns how old what waits is. */
  async look(): Promise<void> {
    const { storage, now: clock } = this.#options
    const now = clock()
    const running = this.#monotonic()
    if (now < this.#seen || running - this.#heldAt >= HOLD_MILLISECONDS) {
      await storage.deliveries.bringForward(now, this.#longest)
      this.#heldAt = running
    }
    this.#seen = now
    if (this.#age?.isDue(running) ?? true) await this.#seeLast()
  }

  /** The last delivery that has waited long enough by the running time to be given up. */
  oldUpTo(): number {
    return this.#age?.oldUpTo(this.#monotonic()) ?? 0
  }

  async #seeLast(): Promise<void> {
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
      // Quiet hours may last a day, and one hour more where clocks change.
      hasQuietHours ? DAY + HOUR : 0,
    ),
  }
}
