import type { Operation } from '@plumbline/contract'
import type { Ease, InputOf, OutputOf } from './operation-types.ts'

/** How an operation is put on the wire. */
export type Wire = {
  readonly method: Operation['method']
  readonly url: string
  /** Of an operation with a body: the members that go into the query string. */
  readonly query?: readonly string[]
  readonly constants?: Readonly<Record<string, string>>
  /** Left out: JSON. `text`: the one member of the body is the body. */
  readonly encoding?: 'form' | 'text'
}

/** One operation as the client sends it; method and path are checked against the contract. */
export type Endpoint<O extends Operation, E extends Ease> = Wire & {
  readonly method: O['method']
  readonly url: O['url']
  /** Carries the types only; never set. */
  readonly types?: { input: InputOf<O, E>; output: OutputOf<O> }
}

export const endpoint = <O extends Operation, E extends Ease = {}>(
  definition: Endpoint<O, E>,
): Endpoint<O, E> => definition

export type CallOptions = { signal?: AbortSignal | undefined }

export type Call = (wire: Wire, input: object, options: CallOptions) => Promise<unknown>

/** A table of endpoints as methods. */
export type Methods<T> = {
  readonly [K in keyof T]: T[K] extends { types?: { input: infer I; output: infer A } }
    ? Method<I, A>
    : never
}

type Method<I, A> = {} extends I
  ? (input?: I, options?: CallOptions) => Promise<A>
  : (input: I, options?: CallOptions) => Promise<A>

export function bindMethods<T extends Record<string, Wire>>(table: T, call: Call): Methods<T> {
  const entries = Object.entries(table).map(([name, wire]) => [
    name,
    async (input: object = {}, options: CallOptions = {}) => call(wire, input, options),
  ])
  return Object.fromEntries(entries) as Methods<T>
}
