import { parseDecimalText } from '../../encodings/decimal-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import type { TopicSettings } from '../../config/mqtt-settings.ts'
import type { Surroundings, ValueSource } from './value-source.ts'

export type ReadValues = (
  surroundings: Surroundings,
) => { values: Record<string, unknown> } | { problem: string }

type Settings = Pick<TopicSettings, 'values' | 'fields' | 'key' | 'value' | 'items' | 'booleans'>

/** Compiles where the values of a record lie; exactly one of the three ways must be set. */
export function valueReader(settings: Settings, source: (text: string) => ValueSource): ReadValues {
  const { values, fields, key, value } = settings
  const ways = [values, fields, key ?? value].filter((way) => way !== undefined)
  if (ways.length !== 1 || (key === undefined) !== (value === undefined))
    throw new RefusedError(
      'invalid',
      'it must say where the values are by one of values, fields, or key with value',
    )

  const put = valueKeeper(settings)
  if (values !== undefined) {
    const object = source(values)
    // All records of a message may name the same object of it.
    const collected = new WeakMap<object, ReturnType<typeof collect>>()
    return (surroundings) => {
      const found = object.read(surroundings)
      if (typeof found !== 'object' || found === null || Array.isArray(found))
        return { problem: `${show(values)} must hold an object of values, not ${show(found)}` }
      const known = collected.get(found)
      if (known !== undefined) return known
      const fresh = { values: Object.create(null) as Record<string, unknown> }
      // Of tens of thousands of members the pairs of `Object.entries` take most of the time.
      for (const name in found) put(fresh.values, name, (found as Record<string, unknown>)[name])
      collected.set(found, fresh)
      return fresh
    }
  }
  if (fields !== undefined) {
    const sources = Object.entries(fields).map(([name, text]) => [name, source(text)] as const)
    return (surroundings) =>
      collect(
        sources
          .map(([name, from]) => [name, from.read(surroundings)] as const)
          .filter(([, found]) => found !== undefined),
        put,
      )
  }
  const keySource = source(key!)
  const valueSource = source(value!)
  return (surroundings) => {
    const name = keySource.read(surroundings)
    if (typeof name !== 'string')
      return { problem: `${show(key)} must hold an item key, not ${show(name)}` }
    const found = valueSource.read(surroundings)
    if (found === undefined) return { problem: `${show(value)} holds no value` }
    return collect([[name, found]], put)
  }
}

type Put = (values: Record<string, unknown>, name: string, value: unknown) => void

/** Keys are data: `__proto__` is a member like any other. */
function collect(
  entries: readonly (readonly [string, unknown])[],
  put: Put,
): { values: Record<string, unknown> } {
  const values = Object.create(null) as Record<string, unknown>
  for (const [name, value] of entries) put(values, name, value)
  return { values }
}

function valueKeeper({ items, booleans }: Settings): Put {
  const keys = new Map(Object.entries(items ?? {}))
  return (values, name, value) => {
    const key = keys.get(name) ?? name
    if (key !== '') values[key] = readValue(value, booleans === 'numbers')
  }
}

/** A number sent as text is a number; what is none stays as it is, for the report to name. */
function readValue(value: unknown, takesBooleans: boolean): unknown {
  if (typeof value === 'string') return parseDecimalText(value.trim()) ?? value
  if (typeof value === 'boolean' && takesBooleans) return value ? 1 : 0
  return value
}
