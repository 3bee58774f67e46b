import { Type } from 'typebox'
import { setting } from './setting.ts'
import { positive } from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

/** Settings of storage, sealing and retention. */
export const STORAGE_SETTINGS = {
  'storage.synchronous': setting({
    schema: oneOf(['full', 'off']),
    default: 'full',
    description:
      'full: acknowledged records survive a power cut. off: they may be lost; only for trials.',
  }),
  'seal.afterDays': setting({
    schema: Type.Number({ minimum: 0, maximum: 36_500, unit: 'days' }),
    default: 2,
    description:
      'Days after which a past day is sealed: stored compressed, as it is sent. Sealed days can still be corrected.',
  }),
  'seal.everyMinutes': setting({
    schema: Type.Number({ minimum: 0, maximum: 1440, unit: 'minutes' }),
    default: 10,
    description: 'Minutes between two rounds of sealing. 0: only "plumbline seal" seals.',
  }),
  'seal.cpuShare': setting({
    schema: positive(1),
    default: 0.5,
    description: 'Share of one core that sealing may use while the service runs.',
  }),
  'retention.everyMinutes': setting({
    schema: Type.Number({ minimum: 0, maximum: 1440, unit: 'minutes' }),
    default: 10,
    description:
      'Minutes between two rounds of retention, which deletes records after the retention period of their structure. 0: only "plumbline retention" deletes.',
  }),
  'retention.maxShareOfDay': setting({
    schema: Type.Number({ minimum: 0, maximum: 1 }),
    default: 0.05,
    description:
      'Share of the records of one kind of a structure that retention may delete in a day; it may always delete the two oldest days. "plumbline retention --yes" deletes all expired records.',
  }),
  'retention.maxClockJumpHours': setting({
    schema: Type.Number({ minimum: 1, maximum: 8760, unit: 'hours' }),
    default: 24,
    description:
      'Hours by which the clock may run ahead of the uptime of the service, downtime included. Beyond that retention continues from the last trusted time until the service has run for as many hours, or until "plumbline retention --confirm-clock".',
  }),
  'retention.cpuShare': setting({
    schema: positive(1),
    default: 0.5,
    description: 'Share of one core that retention may use while the service runs.',
  }),
} as const
