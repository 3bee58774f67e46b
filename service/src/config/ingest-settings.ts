import { Type } from 'typebox'
import { setting } from './setting.ts'
import { wholeNumber } from './setting-schemas.ts'

const INSTANT = String.raw`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$`

/** Settings for early, too old and backfill records. */
export const INGEST_SETTINGS = {
  'ingest.clockToleranceSeconds': setting({
    schema: Type.Number({ minimum: 0, maximum: 86_400, unit: 'seconds' }),
    default: 300,
    description:
      'Seconds by which the time of a record may be ahead of the clock of this machine. A record that is further ahead, by up to a day, is early: it is stored and reported, and becomes the newest record and is evaluated when its time has come.',
  }),
  'ingest.earliestTime': setting({
    schema: Type.String({
      pattern: INSTANT,
      title: 'a day such as 2001-01-01, in UTC, or an instant such as 2001-01-01T00:00:00+08:00',
    }),
    default: '2001-01-01',
    description:
      'Earliest time of a live record (HTTP, MQTT, line protocol, watched folders). Clocks that lost power often restart in 1970, 1980, 1990 or 2000. An earlier record is rejected with both times named. "plumbline import" and manual readings accept any past time.',
    accepts: (value) => !Number.isNaN(Date.parse(value)),
  }),
  'ingest.backfillMinutes': setting({
    schema: Type.Number({ minimum: 0, maximum: 525_600, unit: 'minutes' }),
    default: 15,
    description:
      'A request or message whose newest record is older than this is backfill: it is stored in small parts, and live records are stored between them.',
  }),
  'ingest.backfillRecords': setting({
    schema: wholeNumber(1, 100_000),
    default: 500,
    description: 'A request or message with more records than this is backfill too.',
  }),
} as const
