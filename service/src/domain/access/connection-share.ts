/** Numbers of connections of the interface and of the broker. */
export type Connections = Readonly<{ interface: number; broker: number }>

/** File descriptors for the database, the log, watched folders and notification channels. */
const RESERVED_DESCRIPTORS = 200

/** The reserved part of a low limit. */
const RESERVED_PART = 0.5

/**
 * Returns the wanted connections, or as many in the same proportion as the limit of file descriptors
 * allows.
 */
export function shareConnections(descriptors: number, wanted: Connections): Connections {
  const reserved = Math.min(RESERVED_DESCRIPTORS, Math.ceil(descriptors * RESERVED_PART))
  const free = descriptors - reserved
  const part = Math.min(1, free / (wanted.interface + wanted.broker))
  const share = (count: number): number => (count === 0 ? 0 : Math.max(1, Math.floor(part * count)))
  return { interface: share(wanted.interface), broker: share(wanted.broker) }
}

/** Returns the file descriptors that all wanted connections need. */
export const descriptorsFor = (wanted: Connections): number =>
  wanted.interface + wanted.broker + RESERVED_DESCRIPTORS

/** Returns the connections of one address, in the same proportion to `held` as to `wanted`. */
export const shareOfAddress = (perAddress: number, held: number, wanted: number): number =>
  Math.max(1, Math.floor((perAddress * held) / Math.max(1, wanted)))
