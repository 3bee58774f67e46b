import type { TSchema } from 'typebox'

/** The nouns of the interface, by which files of the contract, routes and client are named. */
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
  | 'quality'
  | 'sessions'
  | 'accounts'
  | 'audit'
  | 'overview'
  | 'events'
  | 'portraits'
  | 'site'
  | 'status'
  | 'applications'
  | 'keys'
  | 'imports'
  | 'changes'

/**
 * How a client authenticates: by application credentials, an access token or the cookie of a session
 * (`token`), only that cookie (`session`), an ingest key, or by secrets of the body (`body`).
 */
export type Access = 'credentials' | 'token' | 'session' | 'key' | 'body'

/**
 * What an application may do: `read` data, also `operate` (confirm alarms, set thresholds, enter
 * readings, mark values, recompute, replay), or all of it, `admin`.
 */
export type AppScope = 'read' | 'operate' | 'admin'

/** The error name of an operation with status 400, and the beginning of its messages. */
export type Failure = Readonly<{ name: string; message: string }>

/** Operations with an access token name the scope that its application or account needs. */
export type OperationConfig = Readonly<
  | {
      access: 'token'
      scope: AppScope
      failure: Failure
      /** False: it needs more than `read` and changes nothing, so the audit log has no line of it. */
      isChange?: false
    }
  | { access: Exclude<Access, 'token'>; scope?: undefined; failure: Failure }
>

export type OperationSchema = {
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly body?: TSchema
  readonly response: Readonly<Record<number, TSchema>>
}

/** An endpoint: its route, validation, OpenAPI entry and client method are made from it. */
export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below the base address, with parameters as `:name`. */
  readonly url: string
  readonly base: '/api/v1' | '/ingest/v1' | '/manage/v1'
  readonly noun: Noun
  /** Media types of the body. Default: JSON. */
  readonly consumes?: readonly string[]
  /** The media type of a successful response. Default: JSON. */
  readonly produces?: 'image/jpeg' | 'text/csv' | 'text/event-stream'
  /** The most bytes of a decompressed body. Default: 256 KB; for ingest `http.maxBodyMegabytes`. */
  readonly bodyLimit?: number
  readonly config: OperationConfig
  readonly schema: OperationSchema
}

/** Returns the definition with its literal types. */
export const operation = <const O extends Operation>(definition: O): O => definition

/** The `config` of operations that read with an access token. */
export const finding = <const Message extends string>(message: Message) =>
  ({ access: 'token', scope: 'read', failure: { name: 'FindError', message } }) as const

/** The `config` of operations that need the scope `operate`. */
export const operating = <const Message extends string>(message: Message) =>
  ({ ...finding(message), scope: 'operate' }) as const

/** The `config` of operations that need the scope `admin`. */
export const administering = <const Message extends string>(message: Message) =>
  ({ ...finding(message), scope: 'admin' }) as const

/** The `config` of operations on tokens. */
export const requesting = <const Message extends string>(message: Message) =>
  ({ access: 'credentials', failure: { name: 'RequestError', message } }) as const

/** The `config` of operations of a signed-in account on itself, whatever its role. */
export const signedIn = <const Message extends string>(message: Message) =>
  ({ access: 'session', failure: { name: 'FindError', message } }) as const

/** The `config` of operations that open a session by secrets of their body. */
export const opening = <const Message extends string>(message: Message) =>
  ({ access: 'body', failure: { name: 'FindError', message } }) as const
