import type { TSchema } from 'typebox'

/** The nouns of the interface; contract files, routes, SQL, client and tests are named alike. */
export type Noun =
  | 'tokens'
  | 'structures'
  | 'data'
  | 'traffic'
  | 'vibration'
  | 'thresholds'
  | 'alarms'
  | 'cameras'
  | 'ingest'
  | 'rejects'
  | 'series'
  | 'readings'
  | 'clocks'
  | 'notifications'
  | 'analysis'
  | 'derivation'
  | 'records'

/** How a caller proves who it is: application credentials, an access token or an ingest key. */
export type Access = 'credentials' | 'token' | 'key'

/** The name and the first words of every 400 of an operation. */
export type Failure = Readonly<{ name: string; message: string }>

export type OperationSchema = {
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly body?: TSchema
  readonly response: Readonly<Record<number, TSchema>>
}

/** One endpoint as a value: the route, the OpenAPI document and the client are made from it. */
export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below the base address, with parameters as `:name`. */
  readonly url: string
  readonly base: '/api/v1' | '/ingest/v1' | '/manage/v1'
  readonly noun: Noun
  /** Media types a body may come in; left out: JSON. */
  readonly consumes?: readonly string[]
  /** The most bytes of a body once it is unpacked; left out: 256 KB, and of ingest the setting. */
  readonly bodyLimit?: number
  readonly config: Readonly<{ access: Access; failure: Failure }>
  readonly schema: OperationSchema
}

export const operation = <const O extends Operation>(definition: O): O => definition

/** What every operation that reads with an access token has in common. */
export const finding = <const Message extends string>(message: Message) =>
  ({ access: 'token', failure: { name: 'FindError', message } }) as const

/** What the operations on tokens have in common. */
export const requesting = <const Message extends string>(message: Message) =>
  ({ access: 'credentials', failure: { name: 'RequestError', message } }) as const
