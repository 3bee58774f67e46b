/** What an ingest key may write to: structures with all that belongs to them, stations, devices. */
export type KeyTargets = Readonly<{
  structures: readonly number[]
  stations: readonly number[]
  /** Ids of sensors and other devices, in lower case. */
  sensors: readonly string[]
}>

/** What a record is written to. A vehicle belongs to a structure alone. */
export type RecordTarget = Readonly<{ structure: number; station?: number; device?: string }>

/** Whether a key with these targets may write to one; a key without targets may write to all. */
export const coversTarget = (
  targets: KeyTargets | undefined,
  { structure, station, device }: RecordTarget,
): boolean =>
  targets === undefined ||
  targets.structures.includes(structure) ||
  (station !== undefined && targets.stations.includes(station)) ||
  (device !== undefined && targets.sensors.includes(device))

/** The targets of a key for people, such as `structures 1, 2; stations 1001`. */
export function describeTargets(targets: KeyTargets | undefined): string {
  if (targets === undefined) return 'everything'
  const { structures, stations, sensors } = targets
  return Object.entries({ structures, stations, sensors })
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => `${name} ${ids.join(', ')}`)
    .join('; ')
}
