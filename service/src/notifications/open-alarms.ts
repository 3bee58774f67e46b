import { planFirstReminders } from '../domain/notifications/plan-deliveries.ts'
import { alarmFacts } from './describe-alarm.ts'
import type { FanOutOptions } from './fan-out.ts'

/** Alarms whose reminders are set in one transaction. */
const ALARMS_AT_ONCE = 200

/** Gives alarms that were open before their rules had reminders the first one, once after a start. */
export class OpenAlarms {
  readonly #options: Omit<FanOutOptions, 'log'>
  #isDue: boolean

  constructor(options: Omit<FanOutOptions, 'log'>) {
    this.#options = options
    this.#isDue = options.rules.some(({ reminderEvery }) => reminderEvery !== undefined)
  }

  get isDue(): boolean {
    return this.#isDue
  }

  /** Called when the outbox has no entries left: those tell which transitions were late. */
  async remindOnce(signal: AbortSignal): Promise<void> {
    if (!this.#isDue) return
    const { storage, rules, catalogue: load, now } = this.#options
    const catalogue = await load()
    for (let after = 0; !signal.aborted;) {
      const alarms = await storage.outbox.listRemindable(after, ALARMS_AT_ONCE)
      const reminders = alarms.flatMap((alarm) =>
        planFirstReminders(alarmFacts(alarm, alarm.level, catalogue), { rules, now: now() }).map(
          (reminder) => ({ alarm: alarm.id, ...reminder }),
        ),
      )
      if (reminders.length > 0) await storage.outbox.addReminders(reminders)
      const last = alarms.at(-1)
      if (last === undefined) {
        this.#isDue = false
        return
      }
      after = last.id
    }
  }
}
