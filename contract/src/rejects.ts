import { Type, type Static } from 'typebox'
import { Id } from './common.ts'
import { operation } from './operation.ts'

const REJECTS_MAXIMUM = 1000

const config = <const Message extends string>(message: Message) =>
  ({ access: 'token', failure: { name: 'FindError', message } }) as const

const Ids = Type.Array(Type.Integer(), { minItems: 1, maxItems: REJECTS_MAXIMUM })

export type Rejects = Static<typeof Rejects>
/** What came in by brokers and files and could not be stored. */
export const Rejects = Type.Object({
  origins: Type.Array(
    Type.Object({
      origin: Type.String(),
      kept: Type.Integer({ description: 'Rejects that are kept.' }),
      dropped: Type.Integer({ description: 'Older ones that gave way to them.' }),
    }),
  ),
  rejects: Type.Array(
    Type.Object({
      id: Id,
      origin: Type.String({ description: 'Where it came in, such as `mqtt site`.' }),
      place: Type.String({ description: 'What it is called there, such as a topic.' }),
      reason: Type.String(),
      receivedAt: Type.Integer({ description: 'Epoch milliseconds.' }),
      payload: Type.String({ description: 'The bytes as they came, in Base64.' }),
    }),
  ),
})

export const listRejects = operation({
  operationId: 'listRejects',
  summary: 'List what could not be stored',
  method: 'GET',
  url: '/rejects',
  base: '/manage/v1',
  noun: 'rejects',
  config: config('Rejects query failed'),
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
  summary: 'Try again to store what was refused',
  method: 'POST',
  url: '/rejects/replay',
  base: '/manage/v1',
  noun: 'rejects',
  config: config('Replay failed'),
  schema: {
    body: Type.Object({ ids: Ids }),
    response: {
      200: Type.Object({
        replayed: Type.Integer(),
        refused: Type.Array(Type.Object({ id: Id, message: Type.String() })),
      }),
    },
  },
})

export const dropRejects = operation({
  operationId: 'dropRejects',
  summary: 'Drop what was refused, for good',
  method: 'POST',
  url: '/rejects/drop',
  base: '/manage/v1',
  noun: 'rejects',
  config: config('Rejects could not be dropped'),
  schema: {
    body: Type.Object({ ids: Ids }),
    response: { 200: Type.Object({ removed: Type.Integer() }) },
  },
})
