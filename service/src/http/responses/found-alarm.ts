import type { FoundAlarm } from '@plumbline/contract'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { shelvedUntil as untilOf } from '../../domain/alarms/shelving.ts'
import type { Storage, StoredAlarm } from '../../storage/storage.ts'
import { toAlarm } from './alarm.ts'

const OF_STATION = 2
const FIRST_CLOSED_STATE = 3

/** Alarms in their order, with their structures, stations and shelvings. */
export async function shelvedAlarms(
  { shelvings }: Pick<Storage, 'shelvings'>,
  alarms: readonly StoredAlarm[],
  catalogue: Catalogue,
  now: number,
): Promise<FoundAlarm[]> {
  const open = alarms.filter(({ state }) => state < FIRST_CLOSED_STATE).map(({ id }) => id)
  const found = Map.groupBy(await shelvings.listOf(open), ({ alarm }) => alarm)
  return alarms.map((alarm) => toFoundAlarm(alarm, catalogue, untilOf(found.get(alarm.id), now)))
}

/** An alarm with its structure and station; `shelvedUntil` only while it is shelved. */
function toFoundAlarm(
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
