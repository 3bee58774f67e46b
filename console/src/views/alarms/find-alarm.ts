import type { AlarmDetail, FoundAlarm } from '@plumbline/client'
import { client } from '../../state/api.ts'

const PAGE = 500
const PAGES = 20

/**
 * The alarm of an address that names only its id: the interface lists alarms by time, and the first
 * transition tells when this one began. Undefined where it is not among them.
 */
export async function findAlarm(
  id: number,
  details: readonly AlarmDetail[],
  signal: AbortSignal,
): Promise<FoundAlarm | undefined> {
  const startTime = details[0]?.time
  if (startTime === undefined) return undefined
  const order = { orderBy: 'startTime', orderDirection: 'desc' } as const
  for (let page = 0; page < PAGES; page += 1) {
    const search = { ...order, limit: PAGE, offset: page * PAGE, startTime, endTime: startTime }
    const { count, alarms } = await client.searchAlarms(search, { signal })
    const found = alarms.find((alarm) => alarm.id === id)
    if (found !== undefined || (page + 1) * PAGE >= count) return found
  }
  return undefined
}
