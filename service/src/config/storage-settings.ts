import { setting } from './setting.ts'

/** How records are kept: durably, in sealed days, and for how long. */
export const STORAGE_SETTINGS = {
  'storage.synchronous': setting({
    default: 'full',
    description:
      'full: what is acknowledged survives a power cut. off: it may not; only for trials on data you can lose.',
    expected: 'full or off',
    accepts: (value) => value === 'full' || value === 'off',
  }),
  'seal.afterDays': setting({
    default: 2,
    description:
      'Days that ended so many days ago are sealed: kept in the compressed bytes in which they are sent. They can still be corrected.',
    expected: 'a number of days from 0 to 36500',
    accepts: (value) => value >= 0 && value <= 36_500,
  }),
  'seal.everyMinutes': setting({
    default: 10,
    description: 'How often past days are looked for, to seal them; 0 does not by itself.',
    expected: 'a number of minutes from 0 to 1440',
    accepts: (value) => value >= 0 && value <= 1440,
  }),
  'seal.cpuShare': setting({
    default: 0.5,
    description: 'The part of one core that sealing may take while the service answers.',
    expected: 'a number above 0, at most 1',
    accepts: (value) => value > 0 && value <= 1,
  }),
  'retention.everyMinutes': setting({
    default: 10,
    description:
      'How often records past the retention of their structure are looked for, to delete them; 0 never does.',
    expected: 'a number of minutes from 0 to 1440',
    accepts: (value) => value >= 0 && value <= 1440,
  }),
  'retention.maxShareOfDay': setting({
    default: 0.05,
    description:
      'The part of the records of one kind of a structure that retention may delete in a day, or its two oldest days if they have more. "plumbline retention --yes" deletes everything past its term.',
    expected: 'a number from 0 to 1',
    accepts: (value) => value >= 0 && value <= 1,
  }),
  'retention.maxClockJumpHours': setting({
    default: 24,
    description:
      'Hours by which the clock may go ahead of the running time of the service, pauses included. Beyond that, deletion by age goes on from the last trusted time until the service has run for as many hours, or "plumbline retention --confirm-clock".',
    expected: 'a number of hours from 1 to 8760',
    accepts: (value) => value >= 1 && value <= 8760,
  }),
  'retention.cpuShare': setting({
    default: 0.5,
    description: 'The part of one core that retention may take while the service answers.',
    expected: 'a number above 0, at most 1',
    accepts: (value) => value > 0 && value <= 1,
  }),
} as const
