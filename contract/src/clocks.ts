import { Type, type Static } from 'typebox'
import { finding, operation } from './operation.ts'

const source = {
  kind: Type.Union(
    [
      Type.Literal('theme'),
      Type.Literal('raw'),
      Type.Literal('traffic'),
      Type.Literal('vibration'),
      Type.Literal('heartbeat'),
    ],
    { description: 'The kind of its records.' },
  ),
  source: Type.String({ description: 'Id of the station, sensor, structure or device.' }),
  name: Type.String(),
  structure: Type.Integer(),
}

/** Sources with early records, and sources with records from before `ingest.earliestTime`. */
export type Clocks = Static<typeof Clocks>
export const Clocks = Type.Object({
  now: Type.Integer({ description: 'Time of the service; epoch milliseconds.' }),
  toleranceSeconds: Type.Number({ description: '`ingest.clockToleranceSeconds`.' }),
  sources: Type.Array(
    Type.Object({
      ...source,
      leadSeconds: Type.Number({ description: 'The largest lead of a record over the clock.' }),
      since: Type.Integer({
        description: 'When the first early record arrived; epoch milliseconds.',
      }),
      lastAt: Type.Integer({ description: 'When the last one arrived; epoch milliseconds.' }),
    }),
  ),
  earliestTime: Type.Integer({ description: '`ingest.earliestTime`; epoch milliseconds.' }),
  behind: Type.Array(
    Type.Object({
      ...source,
      time: Type.Integer({
        description: 'The latest time of its rejected records; epoch milliseconds.',
      }),
      since: Type.Integer({ description: 'When the first one arrived; epoch milliseconds.' }),
      lastAt: Type.Integer({ description: 'When the last one arrived; epoch milliseconds.' }),
    }),
    {
      description:
        'Sources whose live records are rejected because they are before `earliestTime`.',
    },
  ),
})

export const listClocks = operation({
  operationId: 'listClocks',
  summary: 'List sources whose clocks are wrong',
  method: 'GET',
  url: '/clocks',
  base: '/manage/v1',
  noun: 'clocks',
  config: finding('Clocks query failed'),
  schema: { response: { 200: Clocks } },
})
