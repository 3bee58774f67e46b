import { Type, type Static } from 'typebox'
import { operation } from './operation.ts'

export type Clocks = Static<typeof Clocks>
const source = {
  kind: Type.Union(
    [
      Type.Literal('theme'),
      Type.Literal('raw'),
      Type.Literal('traffic'),
      Type.Literal('vibration'),
      Type.Literal('heartbeat'),
    ],
    { description: 'What it sends.' },
  ),
  source: Type.String({ description: 'Id of the station, sensor, structure or device.' }),
  name: Type.String(),
  structure: Type.Integer(),
}

/** Sources whose records lie ahead of the clock of the service, and those that have lost their time. */
export const Clocks = Type.Object({
  now: Type.Integer({ description: 'What the clock of the service says; epoch milliseconds.' }),
  toleranceSeconds: Type.Number({ description: '`ingest.clockToleranceSeconds`.' }),
  sources: Type.Array(
    Type.Object({
      ...source,
      leadSeconds: Type.Number({ description: 'How far ahead it was at most.' }),
      since: Type.Integer({ description: 'When the first early record came; epoch milliseconds.' }),
      lastAt: Type.Integer({ description: 'When the last one came; epoch milliseconds.' }),
    }),
  ),
  earliestTime: Type.Integer({ description: '`ingest.earliestTime`; epoch milliseconds.' }),
  behind: Type.Array(
    Type.Object({
      ...source,
      time: Type.Integer({
        description: 'The latest time of its rejected records; epoch milliseconds.',
      }),
      since: Type.Integer({ description: 'When the first of them came; epoch milliseconds.' }),
      lastAt: Type.Integer({ description: 'When the last one came; epoch milliseconds.' }),
    }),
    { description: 'Sources whose live records lie before that and are rejected.' },
  ),
})

export const listClocks = operation({
  operationId: 'listClocks',
  summary: 'List sources whose clocks are wrong',
  method: 'GET',
  url: '/clocks',
  base: '/manage/v1',
  noun: 'clocks',
  config: { access: 'token', failure: { name: 'FindError', message: 'Clocks query failed' } },
  schema: { response: { 200: Clocks } },
})
