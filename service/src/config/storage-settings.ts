import { Type } from 'typebox'
import { setting } from './setting.ts'
import { fileOrEmpty, positive, wholeNumber } from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

/** Settings of storage, sealing and retention. */
export const STORAGE_SETTINGS = {
  'storage.url': setting({
    schema: Type.String({
      pattern: '^(sqlite|[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]([Qq][Ll])?://.+)$',
      title: 'sqlite, or a URL such as postgres://USER@HOST/DATABASE',
    }),
    default: 'sqlite',
    description:
      'Where data is stored. sqlite: in the data folder. postgres://USER@HOST:5432/DATABASE: in PostgreSQL (docs/postgres.md); certificates and secrets stay in the data folder.',
  }),
  'storage.passwordFile': setting({
    schema: fileOrEmpty,
    default: '',
    description:
      'File that holds the password of the PostgreSQL user. Without it the password is in storage.url, in PGPASSWORD or in the file of PGPASSFILE. In the settings file it belongs to the storage.url there, and is not used with --storage or PLUMBLINE_STORAGE.',
  }),
  'storage.poolSize': setting({
    schema: wholeNumber(4, 1000),
    default: 10,
    description:
      'The most connections to PostgreSQL that each process of an instance opens: one holds its locks, with one it seals past days, the others write and read. All together must stay below max_connections of the server.',
  }),
  'storage.statementTimeoutSeconds': setting({
    schema: wholeNumber(1, 86_400),
    default: 60,
    description: 'Seconds after which PostgreSQL gives up a statement.',
  }),
  'storage.synchronous': setting({
    schema: oneOf(['full', 'off']),
    default: 'full',
    description:
      'full: acknowledged records survive a power cut. off: they may be lost; only for trials.',
  }),
  'storage.openDayCacheMegabytes': setting({
    schema: Type.Number({ minimum: 0, maximum: 65_536 }),
    default: 64,
    description:
      'Megabytes of memory for compressed records of days that are not sealed yet, to send them again without reading and compressing them. A station-day of 1,440 records takes some 40 KB. Workers share it evenly. 0: none.',
  }),
  'storage.warnFreeMegabytes': setting({
    schema: Type.Number({ minimum: 0, maximum: 1e9, unit: 'megabytes' }),
    default: 2000,
    description:
      'Megabytes of free disk of the data folder below which the log, /health/disk and metrics warn. 0: no warning. A choice of this project, which no source confirms.',
  }),
  'storage.stopFreeMegabytes': setting({
    schema: Type.Number({ minimum: 0, maximum: 1e9, unit: 'megabytes' }),
    default: 200,
    description:
      'Megabytes of free disk of the data folder below which nothing is taken in: ingest responds 503, messages are not acknowledged, watched folders wait, until there is space again. Readers are served. 0: until the disk is full. A choice of this project, which no source confirms. With PostgreSQL it has no effect.',
  }),
  'storage.keepBeforeUpgradeMinutes': setting({
    schema: Type.Number({ minimum: 0, maximum: 525_600, unit: 'minutes' }),
    default: 1440,
    description:
      'Minutes for which a new version has to be ready without a break before the database of the version before is removed. An upgrade keeps it in the data folder as plumbline.db.before-VERSION, for "plumbline migrate --back".',
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
