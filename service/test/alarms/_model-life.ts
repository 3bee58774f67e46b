import type { ModelAlarm } from '../../src/domain/alarms/_alarm-model.ts'
import { zone } from '../../src/domain/time/local-time.ts'

const UTC = zone('UTC')
const TYPE_CODES = { threshold: '3007', range: '3005' }

/** An alarm of the model as it is listed. */
export const toLife = ({ type, startTime, endTime, steps, ...alarm }: ModelAlarm): object => ({
  ...alarm,
  startTime: UTC.toLocal(startTime),
  endTime: UTC.toLocal(endTime),
  steps: steps.map(({ time, ...step }) => ({
    ...step,
    alarmCode: `${TYPE_CODES[type]}000${step.currentLevel}`,
    time: UTC.toLocal(time),
  })),
})
