import type { Operation, Static, TSchema } from '@plumbline/contract'

/** Where a call may give less, or another form, than the contract's types say. */
export type Ease = {
  /** Members that may be left out because the service has a default. */
  defaults?: string
  /** Members that are the same in every call, so the client fills them in. */
  constants?: string
  /** Texts of ids joined by commas that may be given as an array. */
  lists?: string
}

/** Everything an operation takes, path, query and body alike, in one object. */
export type InputOf<O extends Operation, E extends Ease = Ease> = Shape<
  Relaxed<Omit<Parts<O>, NameIn<E['constants']>>, NameIn<E['defaults']>, NameIn<E['lists']>>
>

/** What an operation answers with; nothing where it answers 204. */
export type OutputOf<O extends Operation> = O['schema']['response'] extends {
  200: infer S extends TSchema
}
  ? Static<S>
  : void

type Parts<O extends Operation> = Part<O, 'params'> & Part<O, 'querystring'> & Part<O, 'body'>

type Part<O extends Operation, P extends string> =
  O['schema'] extends Record<P, infer S extends TSchema> ? Static<S> : unknown

type NameIn<T> = string extends T ? never : Extract<T, string>

type Relaxed<T, Defaults extends string, Lists extends string> = {
  [K in keyof T as IsOptional<T, K> extends true ? never : Exclude<K, Defaults>]: Given<T, K, Lists>
} & {
  [K in keyof T as IsOptional<T, K> extends true ? K : Extract<K, Defaults>]?:
    Given<T, K, Lists> | undefined
}

type IsOptional<T, K extends keyof T> = {} extends Pick<T, K> ? true : false

type Given<T, K extends keyof T, Lists> = K extends Lists ? T[K] | readonly number[] : T[K]

type Shape<T> = [keyof T] extends [never] ? Record<string, never> : { [K in keyof T]: T[K] }
