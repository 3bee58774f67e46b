import { Type, type Static } from 'typebox'
import { Id } from './common.ts'
import { operation } from './operation.ts'

const REFUSALS_MAXIMUM = 1000

const config = <const Message extends string>(message: Message) =>
  ({ access: 'token', failure: { name: 'FindError', message } }) as const

const Ids = Type.Array(Type.Integer(), { minItems: 1, maxItems: REFUSALS_MAXIMUM })

export type Refusals = Static<typeof Refusals>
/** What came in by brokers and files and could not be stored. */
export const Refusals = Type.Object({
  origins: Type.Array(
    Type.Object({
      origin: Type.String(),
      kept: Type.Integer({ description: 'Refusals that are kept.' }),
      dropped: Type.Integer({ description: 'Older ones that gave way to them.' }),
    }),
  ),
  refusals: Type.Array(
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

export const listRefusals = operation({
  operationId: 'listRefusals',
  summary: 'List what could not be stored',
  method: 'GET',
  url: '/refusals',
  base: '/manage/v1',
  noun: 'refusals',
  config: config('Refusals query failed'),
  schema: {
    querystring: Type.Object({
      origin: Type.Optional(Type.String()),
      before: Type.Optional(Type.Integer({ minimum: 1 })),
      limit: Type.Integer({ minimum: 1, maximum: REFUSALS_MAXIMUM, default: 100 }),
    }),
    response: { 200: Refusals },
  },
})

export const replayRefusals = operation({
  operationId: 'replayRefusals',
  summary: 'Try again to store what was refused',
  method: 'POST',
  url: '/refusals/replay',
  base: '/manage/v1',
  noun: 'refusals',
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

export const dropRefusals = operation({
  operationId: 'dropRefusals',
  summary: 'Drop what was refused, for good',
  method: 'POST',
  url: '/refusals/drop',
  base: '/manage/v1',
  noun: 'refusals',
  config: config('Refusals could not be dropped'),
  schema: {
    body: Type.Object({ ids: Ids }),
    response: { 200: Type.Object({ removed: Type.Integer() }) },
  },
})
