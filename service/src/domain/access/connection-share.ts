/** Connections to each of the two that listen for clients. */
export type Connections = Readonly<{ interface: number; broker: number }>

/** What database, log, watched folders and channels may open beside the connections. */
const RESERVED_DESCRIPTORS = 200

/** Of a lower limit so much is theirs. */
const RESERVED_PART = 0.5

/**
 * As many connections as are wanted, or in the same proportion as many as a process can hold that
 * may open so many files.
 */
export function shareConnections(descriptors: number, wanted: Connections): Connections {
  const reserved = Math.min(RESERVED_DESCRIPTORS, Math.ceil(descriptors * RESERVED_PART))
  const free = descriptors - reserved
  const part = Math.min(1, free / (wanted.interface + wanted.broker))
  const share = (count: number): number => (count === 0 ? 0 : Math.max(1, Math.floor(part * count)))
  return { interface: share(wanted.interface), broker: share(wanted.broker) }
}

/** The limit of open files with which all wanted connections are held. */
export const descriptorsFor = (wanted: Connections): number =>
  wanted.interface + wanted.broker + RESERVED_DESCRIPTORS

/** So many connections of one address that it has the same part of all as it was meant to have. */
export const shareOfAddress = (perAddress: number, held: number, wanted: number): number =>
  Math.max(1, Math.floor((perAddress * held) / Math.max(1, wanted)))
