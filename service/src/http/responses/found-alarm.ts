import type { FoundAlarm } from '@plumbline/contract'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import type { StoredAlarm } from '../../storage/storage.ts'
import { toAlarm } from './alarm.ts'

const OF_STATION = 2

/** An alarm with its structure and station; `shelvedUntil` only while it is shelved. */
export function toFoundAlarm(
  alarm: StoredAlarm,
  { structures, stations }: Catalogue,
  shelvedUntil?: number,
): FoundAlarm {
  const { structure, source, sourceType } = alarm
  const station = sourceType === OF_STATION ? stations.get(Number(source.id)) : undefined
  return {
    ...toAlarm(alarm),
    structureId: structure,
    structureName: structures.get(structure)?.entry.name ?? '',
    ...(station && { stationId: station.entry.id }),
    ...(shelvedUntil !== undefined && { shelvedUntil }),
  }
}
