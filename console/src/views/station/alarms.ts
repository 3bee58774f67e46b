import type { Alarm } from '@plumbline/client'
import { formatLocal } from '../../chart/local-time.ts'
import { client } from '../../state/api.ts'
import { session } from '../../state/session.svelte.ts'
import type { StationPlace } from '../../state/structures.svelte.ts'
import type { Window } from './window.ts'

/** Alarms of a station are of this type of source. */
const OF_STATION = 2

/** The alarms of stations that began in a window, newest first. */
export async function alarmsOf(
  places: readonly StationPlace[],
  window: Window,
  signal: AbortSignal,
): Promise<Alarm[]> {
  const { userId } = session
  if (userId === undefined) return []
  const ids = new Set(places.map(({ id }) => String(id)))
  const lists = await Promise.all(
    (['new', 'history'] as const).map((status) =>
      client.listAlarms(
        {
          userId,
          status,
          structures: [...new Set(places.map(({ structure }) => structure.id))],
          startTime: formatLocal(Math.floor(window.from)),
          endTime: formatLocal(Math.ceil(window.to)),
          limit: 1000,
          orderBy: 'startTime',
          orderDirection: 'desc',
        },
        { signal },
      ),
    ),
  )
  return lists
    .flatMap(({ alarms }) => alarms.flatMap((structure) => structure.alarms))
    .filter(({ source, sourceType }) => sourceType.id === OF_STATION && ids.has(source.id))
    .toSorted((a, b) => (a.startTime < b.startTime ? 1 : -1))
}
