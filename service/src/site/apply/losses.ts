import { RefusedError } from '../../errors/refused-error.ts'
import { countOf } from '../../errors/show.ts'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import type { Holdings, Storage, StoredSite } from '../../storage/storage.ts'
import { countRecords, EVER } from '../meaning/count-members.ts'

export type LossStorage = Pick<
  Storage,
  'site' | 'records' | 'waveforms' | 'traffic' | 'manualReadings'
>

/** What is lost with a station, a device or a structure: `station 1001`, and its name with the counts. */
export type Loss = { source: string; line: string }

/** Finds the removed stations, devices and structures with records. */
export async function countLosses(
  storage: LossStorage,
  removed: readonly SiteEntry[],
  { sensorKeys }: Pick<StoredSite, 'sensorKeys'>,
): Promise<Loss[]> {
  const { stations, sensors, structures } = await storage.site.findHoldings(sourcesOf(removed))
  const losses: Loss[] = []
  for (const id of stations)
    losses.push(lossOf(removed, 'station', id, await countOfStation(storage, id)))
  for (const id of sensors) {
    const source = sensorKeys.get(id)
    if (source === undefined) continue
    const count = await countRecords(storage.records, { kind: 'raw', source })
    losses.push(lossOf(removed, 'device', id, countOf(count, 'raw record')))
  }
  for (const id of structures) {
    const count = await storage.traffic.count({ structure: id, ...EVER })
    losses.push(lossOf(removed, 'structure', id, countOf(count, 'vehicle')))
  }
  return losses
}

async function countOfStation(
  { records, waveforms, manualReadings }: LossStorage,
  station: number,
): Promise<string> {
  const readings = await manualReadings.list({ station, ...EVER, limit: Number.MAX_SAFE_INTEGER })
  const counts = [
    [await countRecords(records, { kind: 'theme', source: station }), 'record'],
    [await waveforms.count({ station, ...EVER }), 'waveform'],
    [readings.length, 'manual reading'],
  ] as const
  return counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => countOf(count, noun))
    .join(', ')
}

function lossOf(
  removed: readonly SiteEntry[],
  kind: 'station' | 'device' | 'structure',
  id: number | string,
  counts: string,
): Loss {
  const entry = removed.find((one) => one.kind === kind && one.id === id)
  const label = entry?.kind === kind ? ` ${entry.name.replaceAll(/\p{Cc}+/gu, ' ')}` : ''
  const source = `${kind} ${id}`
  return { source, line: `${source}${label}: ${counts}` }
}

/** The sources among entries. */
export const sourcesOf = (entries: readonly SiteEntry[]): Holdings => ({
  stations: entries.filter((entry) => entry.kind === 'station').map(({ id }) => id),
  sensors: entries.filter((entry) => entry.kind === 'device').map(({ id }) => id),
  structures: entries.filter((entry) => entry.kind === 'structure').map(({ id }) => id),
})

const NAMED = 5

/** Refuses to remove what has records, with their counts. */
export function refuseLosses(losses: readonly Loss[]): void {
  if (losses.length === 0) return
  const names = losses.slice(0, NAMED).map(({ source }) => source)
  const more = losses.length > NAMED ? ` and ${losses.length - NAMED} more` : ''
  const [have, them, their] = losses.length === 1 ? ['has', 'it', 'its'] : ['have', 'them', 'their']
  throw new RefusedError(
    'invalid',
    [
      `The file no longer has ${names.join(', ')}${more}, which ${have} stored records. Put ${them} back into the file, or run with --delete-records to remove ${them} with ${their} records.`,
      ...losses.map(({ line }) => line),
    ].join('\n'),
  )
}
