import { Type, type Static } from 'typebox'
import { Id, LIMIT_MAXIMUM, MomentString, TimeString } from './common.ts'
import { IngestReport, ThemeInput } from './ingest.ts'
import { finding, operating, operation } from './operation.ts'

const AUTHOR_MAXIMUM = 200
const NOTE_MAXIMUM = 2000

const ChangeNumber = Type.Union([Type.Integer(), Type.Null()], {
  description: 'The number of the change, for `plumbline undo`; null without one.',
})

const params = Type.Object({ stationId: Id })

export type Readings = Static<typeof Readings>
/** Manual readings of a station, newest first. */
export const Readings = Type.Object({
  readings: Type.Array(
    Type.Object({
      time: MomentString,
      values: Type.Record(Type.String(), Type.Number(), {
        description:
          'The values as they were entered. A later record of this time may have replaced them.',
      }),
      author: Type.String({ description: 'The person who measured.' }),
      userId: Type.Integer({
        description: 'The user who entered it; 0: an administrator who is no user of the site.',
      }),
      note: Type.String(),
      quality: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'The qualities that were entered, by item key. Other values are good.',
        }),
      ),
      enteredAt: Type.Integer({ description: 'Epoch milliseconds.' }),
      change: ChangeNumber,
      undone: Type.Boolean({ description: 'Whether its change was undone.' }),
    }),
  ),
})

export type ReadingReport = Static<typeof ReadingReport>
/** The result of manual readings, sent after the commit. */
export const ReadingReport = Type.Object({ ...IngestReport.properties, change: ChangeNumber })

export const addReadings = operation({
  operationId: 'addReadings',
  summary: 'Store manual readings',
  method: 'POST',
  url: '/stations/:stationId/readings',
  base: '/manage/v1',
  noun: 'readings',
  bodyLimit: 2 * 1024 * 1024,
  config: operating('Readings could not be stored'),
  schema: {
    params,
    body: Type.Object({
      records: Type.Array(
        Type.Object({
          time: ThemeInput.properties.time,
          values: ThemeInput.properties.values,
          quality: ThemeInput.properties.quality,
          note: Type.Optional(Type.String({ maxLength: NOTE_MAXIMUM })),
        }),
        { minItems: 1, maxItems: LIMIT_MAXIMUM },
      ),
      author: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: AUTHOR_MAXIMUM,
          description: 'The person who measured. Default: the name of the user.',
        }),
      ),
    }),
    response: { 200: ReadingReport },
  },
})

export const listReadings = operation({
  operationId: 'listReadings',
  summary: 'List manual readings with author and time of entry',
  method: 'GET',
  url: '/stations/:stationId/readings',
  base: '/manage/v1',
  noun: 'readings',
  config: finding('Readings query failed'),
  schema: {
    params,
    querystring: Type.Object({
      startTime: Type.Optional(TimeString),
      endTime: Type.Optional(TimeString),
      limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAXIMUM, default: 100 }),
    }),
    response: { 200: Readings },
  },
})
