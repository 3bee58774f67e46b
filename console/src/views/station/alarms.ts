import type { FoundAlarm } from '@plumbline/client'
import { formatLocal } from '../../chart/local-time.ts'
import { client } from '../../state/api.ts'
import type { Window } from './window.ts'

/** The alarms of stations that a window touches, newest first. */
export async function alarmsOf(
  places: readonly { id: number; structure: { id: number } }[],
  window: Window,
  signal: AbortSignal,
): Promise<FoundAlarm[]> {
  const ids = new Set(places.map(({ id }) => id))
  const { alarms } = await client.searchAlarms(
    {
      structures: [...new Set(places.map(({ structure }) => structure.id))],
      startTime: formatLocal(Math.floor(window.from)),
      endTime: formatLocal(Math.ceil(window.to)),
      limit: 1000,
      orderBy: 'startTime',
      orderDirection: 'desc',
    },
    { signal },
  )
  return alarms.filter(({ stationId }) => stationId !== undefined && ids.has(stationId))
}
