import type { Operation, Static, TSchema } from '@plumbline/contract'
import type { TemporalTime } from './times.ts'

/** How the input of a method differs from the contract. */
export type InputRules = {
  /** Optional members, for which the service has a default. */
  defaults?: string
  /** Members with a constant value, which the client adds. */
  constants?: string
  /** Comma-separated texts of ids, which may also be an array. */
  lists?: string
}

/** The input of a method: the members of path, query and body in one object. */
export type InputOf<O extends Operation, E extends InputRules = InputRules> = Shape<
  Relaxed<Omit<AllParts<O>, NameIn<E['constants']>>, NameIn<E['defaults']>, NameIn<E['lists']>>
>

/** The result of a method; void for a response 204. */
export type OutputOf<O extends Operation> = O['schema']['response'] extends {
  200: infer S extends TSchema
}
  ? Static<S>
  : void

type AllParts<O extends Operation> = PartOf<O, 'params'> &
  PartOf<O, 'querystring'> &
  PartOf<O, 'body'>

type PartOf<O extends Operation, P extends string> =
  O['schema'] extends Record<P, infer S extends TSchema> ? Static<S> : unknown

type NameIn<T> = string extends T ? never : Extract<T, string>

type Relaxed<T, Defaults extends string, Lists extends string> = {
  [K in keyof T as IsOptional<T, K> extends true ? never : Exclude<K, Defaults>]: InputValue<
    T,
    K,
    Lists
  >
} & {
  [K in keyof T as IsOptional<T, K> extends true ? K : Extract<K, Defaults>]?:
    InputValue<T, K, Lists> | undefined
}

type IsOptional<T, K extends keyof T> = {} extends Pick<T, K> ? true : false

type InputValue<T, K extends keyof T, Lists> = K extends Lists
  ? T[K] | readonly number[]
  : Timed<K, T[K]>

/** Members that hold a time, also those of records. */
type TimeMember = 'startTime' | 'endTime' | 'collectTime' | 'time'

type Timed<K, Value> = K extends TimeMember
  ? Value | TemporalTime
  : Value extends readonly (infer Element extends { time: unknown })[]
    ? readonly { [M in keyof Element]: M extends 'time' ? Element[M] | TemporalTime : Element[M] }[]
    : Value

type Shape<T> = [keyof T] extends [never] ? Record<string, never> : { [K in keyof T]: T[K] }
