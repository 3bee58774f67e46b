import { SendError, type Channel } from './channel.ts'
import type { FanOutOptions } from './fan-out.ts'
import type { OutboxClock } from './outbox-clock.ts'
import { ChannelSender, type ChannelSenderOptions } from './channel-sender.ts'

export type ChannelSendersOptions = FanOutOptions &
  Omit<ChannelSenderOptions, 'channel' | 'oldUpTo'> & {
    channels: ReadonlyMap<string, Channel>
    outbox: Pick<OutboxClock, 'oldUpTo'>
  }

/** The senders of all channels, also of names that the settings no longer have. */
export class ChannelSenders {
  readonly #options: ChannelSendersOptions
  readonly #senders = new Map<string, ChannelSender>()

  constructor(options: ChannelSendersOptions) {
    this.#options = options
  }

  get(name: string): ChannelSender {
    return this.#senders.getOrInsertComputed(name, () => this.#open(name))
  }

  #open(name: string): ChannelSender {
    const { channels, outbox, ...options } = this.#options
    return new ChannelSender({
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
