import type { FoundAlarm } from '@plumbline/client'
import { formatLocal, parseLocal } from '../../chart/local-time.ts'

const HOUR = 3600

/** The time of a chart that shows an alarm with what came before and after it. */
export function around({ startTime, endTime }: Pick<FoundAlarm, 'startTime' | 'endTime'>) {
  const [from, to] = [parseLocal(startTime), parseLocal(endTime)]
  const margin = Math.max(6 * HOUR, (to - from) / 2)
  return { from: formatLocal(from - margin), to: formatLocal(to + margin) }
}
