import type { Operation } from '@plumbline/contract'
import type { InputRules, InputOf, OutputOf } from './operation-types.ts'
import type { CallOptions } from './options.ts'

/** How a call of an operation becomes an HTTP request. */
export type Wire = {
  readonly method: Operation['method']
  readonly url: string
  /** Members that go into the query string, for an operation with a body. */
  readonly query?: readonly string[]
  readonly constants?: Readonly<Record<string, string>>
  /** The encoding of the body, by default JSON; with `text` and `bytes` its only member is the body. */
  readonly encoding?: 'form' | 'text' | 'bytes'
  /** Whether sending it twice is as good as once, which every GET is. */
  readonly isRepeatable?: true
}

/** An endpoint of the client, whose method and path are checked against the contract. */
export type Endpoint<O extends Operation, E extends InputRules> = Wire & {
  readonly method: O['method']
  readonly url: O['url']
  /** Only for the types of the method; never set. */
  readonly types?: { input: InputOf<O, E>; output: OutputOf<O>; base: O['base'] }
}

/** A table of endpoints that all are below one base address. */
export type EndpointsBelow<Base extends Operation['base']> = Readonly<
  Record<string, Wire & { readonly types?: { input: unknown; output: unknown; base: Base } }>
>

/** Returns the definition with the types of its operation. */
export const endpoint = <O extends Operation, E extends InputRules = {}>(
  definition: Endpoint<O, E>,
): Endpoint<O, E> => definition

export type Call = (wire: Wire, input: object, options: CallOptions) => Promise<unknown>

/** The methods of a table of endpoints. */
export type Methods<T> = {
  readonly [K in keyof T]: T[K] extends { types?: { input: infer I; output: infer A } }
    ? Method<I, A>
    : never
}

type Method<I, A> = {} extends I
  ? (input?: I, options?: CallOptions) => Promise<A>
  : (input: I, options?: CallOptions) => Promise<A>

/** Makes a method of each endpoint, which calls `call`. */
export function bindMethods<T extends Record<string, Wire>>(table: T, call: Call): Methods<T> {
  const entries = Object.entries(table).map(([name, wire]) => [
    name,
    async (input: object = {}, options: CallOptions = {}) => call(wire, input, options),
  ])
  return Object.fromEntries(entries) as Methods<T>
}
