import type { SpanAttributes, Tracing } from './tracing.ts'

/** The names of spans by the methods that they record. */
type SpanNames<Part> = {
  [
    Name in keyof Part as Part[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
  ]?: string
}

/** A part whose named methods are spans; the part itself where nothing is traced. */
export function traced<Part extends object>(
  tracing: Tracing | undefined,
  part: Part,
  names: SpanNames<Part>,
  attributes?: SpanAttributes,
): Part {
  if (tracing === undefined) return part
  const spans = Object.entries<string | undefined>(names).flatMap(([method, name]) => {
    const call: unknown = Reflect.get(part, method)
    if (name === undefined || typeof call !== 'function') return []
    const span = (...args: unknown[]) =>
      tracing.span(name, async () => Reflect.apply(call, part, args), attributes)
    return [[method, span]]
  })
  return withMembers(part, Object.fromEntries(spans))
}

/** A part with some members in place of its own. */
export function withMembers<Part extends object>(part: Part, members: Partial<Part>): Part {
  return new Proxy(part, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name)
      // Private fields and getters know only the part itself.
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
