import { SendError, type Channel } from './channel.ts'
import type { FanOutOptions } from './fan-out.ts'
import type { OutboxClock } from './outbox-clock.ts'
import { Sender, type SenderOptions } from './sender.ts'

export type SendersOptions = FanOutOptions &
  Omit<SenderOptions, 'channel' | 'oldUpTo'> & {
    channels: ReadonlyMap<string, Channel>
    outbox: Pick<OutboxClock, 'oldUpTo'>
  }

/** The senders of all channels, also of names that the settings no longer have. */
export class Senders {
  readonly #options: SendersOptions
  readonly #senders = new Map<string, Sender>()

  constructor(options: SendersOptions) {
    this.#options = options
  }

  get(name: string): Sender {
    return this.#senders.getOrInsertComputed(name, () => this.#open(name))
  }

  #open(name: string): Sender {
    const { channels, outbox, ...options } = this.#options
    return new Sender({
      ...options,
      channel: channels.get(name) ?? missingChannel(name),
      oldUpTo: () => outbox.oldUpTo(),
    })
  }
}

const missingChannel = (name: string): Channel => ({
  name,
  async send() {
    throw new SendError('the settings have no channel of this name')
  },
})
