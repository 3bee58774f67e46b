import { Type, type Static } from 'typebox'
import { Id } from './common.ts'
import { administering, finding, operating, operation } from './operation.ts'

const REJECTS_MAXIMUM = 1000

const Ids = Type.Array(Type.Integer(), { minItems: 1, maxItems: REJECTS_MAXIMUM })

export type Rejects = Static<typeof Rejects>
/** Rejects of data sources, files and line protocol. */
export const Rejects = Type.Object({
  origins: Type.Array(
    Type.Object({
      origin: Type.String(),
      kept: Type.Integer({ description: 'The number of rejects that are kept.' }),
      dropped: Type.Integer({
        description: 'The number of older rejects that were dropped for newer ones.',
      }),
    }),
  ),
  rejects: Type.Array(
    Type.Object({
      id: Id,
      origin: Type.String({ description: 'Where it came from, such as `mqtt site`.' }),
      place: Type.String({ description: 'The place within the origin, such as a topic.' }),
      reason: Type.String(),
      receivedAt: Type.Integer({ description: 'Epoch milliseconds.' }),
      payload: Type.String({ description: 'The received bytes, in Base64.' }),
    }),
  ),
})

export const listRejects = operation({
  operationId: 'listRejects',
  summary: 'List rejects',
  method: 'GET',
  url: '/rejects',
  base: '/manage/v1',
  noun: 'rejects',
  config: finding('Rejects query failed'),
  schema: {
    querystring: Type.Object({
      origin: Type.Optional(Type.String()),
      before: Type.Optional(Type.Integer({ minimum: 1 })),
      limit: Type.Integer({ minimum: 1, maximum: REJECTS_MAXIMUM, default: 100 }),
    }),
    response: { 200: Rejects },
  },
})

export const replayRejects = operation({
  operationId: 'replayRejects',
  summary: 'Replay rejects: try again to store them',
  method: 'POST',
  url: '/rejects/replay',
  base: '/manage/v1',
  noun: 'rejects',
  config: operating('Replay failed'),
  schema: {
    body: Type.Object({ ids: Ids }),
    response: {
      200: Type.Object({
        replayed: Type.Integer(),
        rejected: Type.Array(Type.Object({ id: Id, message: Type.String() })),
      }),
    },
  },
})

export const repairReject = operation({
  operationId: 'repairReject',
  summary: 'Store a reject as a person has corrected it',
  method: 'POST',
  url: '/rejects/:rejectId/repair',
  base: '/manage/v1',
  noun: 'rejects',
  config: operating('The reject could not be repaired'),
  schema: {
    params: Type.Object({ rejectId: Id }),
    body: Type.Object({
      payload: Type.String({
        description: 'The corrected bytes, in Base64.',
        pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
        minLength: 4,
      }),
    }),
    response: { 204: Type.Void() },
  },
})

export const dropRejects = operation({
  operationId: 'dropRejects',
  summary: 'Drop rejects permanently',
  method: 'POST',
  url: '/rejects/drop',
  base: '/manage/v1',
  noun: 'rejects',
  config: administering('Rejects could not be dropped'),
  schema: {
    body: Type.Object({ ids: Ids }),
    response: { 200: Type.Object({ removed: Type.Integer() }) },
  },
})
