import type { AlarmResults } from '@plumbline/client'

export type Refused = { id: number; reason: string }

/** How many alarms a change did, and which it refused. */
export function sortResults({ results }: AlarmResults): { done: number[]; refused: Refused[] } {
  return {
    done: results.filter(({ isDone }) => isDone).map(({ alarmId }) => alarmId),
    refused: results
      .filter(({ isDone }) => !isDone)
      .map(({ alarmId, reason }) => ({ id: alarmId, reason: reason ?? '' })),
  }
}
