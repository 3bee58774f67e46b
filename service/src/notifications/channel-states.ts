import type { DeliveryStore } from '../storage/storage.ts'

export type ChannelState = {
  channel: string
  /** Whether the channel is configured. */
  isConfigured: boolean
  waiting: number
  waitingSince: number | null
  givenUp: number
}

/** The states of all channels, also of those that only older deliveries name. */
export async function readChannelStates(
  deliveries: Pick<DeliveryStore, 'count'>,
  configured: Iterable<string>,
  givenUpSince: number,
): Promise<ChannelState[]> {
  const counts = await deliveries.count(givenUpSince)
  const names = new Set(configured)
  const unused = [...names].filter((name) => !counts.some(({ channel }) => channel === name))
  return [
    ...counts.map((count) => ({ isConfigured: names.has(count.channel), ...count })),
    ...unused.map((channel) => ({
      channel,
      isConfigured: true,
      waiting: 0,
      waitingSince: null,
      givenUp: 0,
    })),
  ].toSorted((one, other) => (one.channel < other.channel ? -1 : 1))
}
