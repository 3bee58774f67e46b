import type { ModelAlarm } from '../../src/domain/alarms/_alarm-model.ts'
import { zone } from '../../src/domain/time/local-time.ts'

const UTC = zone('UTC')

/** An alarm of the model as it is listed. */
export const toLife = ({ startTime, endTime, steps, ...alarm }: ModelAlarm): object => ({
  ...alarm,
  startTime: UTC.toLocal(startTime),
  endTime: UTC.toLocal(endTime),
  steps: steps.map(({ time, ...step }) => ({
    ...step,
    alarmCode: `3007000${step.currentLevel}`,
    time: UTC.toLocal(time),
  })),
})
