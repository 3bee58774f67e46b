import { parseDecimalText } from '../../encodings/decimal-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'
import type { TopicSettings } from '../../config/mqtt-settings.ts'
import type { RecordContext, ValueSource } from './value-source.ts'

type Values = { values: Record<string, unknown> }

/** Where a record has nothing at the place of its values, that is its problem too. */
type ReadValues = (context: RecordContext) => Values | { problem: string; isEmpty?: boolean }

type Settings = Pick<TopicSettings, 'values' | 'fields' | 'key' | 'value' | 'items' | 'booleans'>

/** Compiles the settings that say where the values of a record lie; exactly one of the three must be set. */
export function valueReader(settings: Settings, source: (text: string) => ValueSource): ReadValues {
  const { values, fields, key, value } = settings
  const isOneOf = [values, fields, key ?? value].filter((way) => way !== undefined).length === 1
  const put = valueSetter(settings)
  if (isOneOf && values !== undefined) return objectReader(source(values), put)
  if (isOneOf && fields !== undefined) {
    const sources = Object.entries(fields).map(([name, text]) => [name, source(text)] as const)
    return fieldReader(sources, put)
  }
  if (isOneOf && key !== undefined && value !== undefined)
    return pairReader(source(key), source(value), put)
  throw new RefusedError(
    'invalid',
    'it must say where the values are by one of values, fields, or key with value',
  )
}

function objectReader(object: ValueSource, put: Put): ReadValues {
  // All records of a message may name the same object of it.
  const collected = new WeakMap<object, Values>()
  return (context) => {
    const found = object.read(context)
    if (!isObject(found))
      return {
        problem: `${show(object.text)} must hold an object of values, not ${show(found)}`,
        isEmpty: found === undefined || found === null,
      }
    const known = collected.get(found)
    if (known !== undefined) return known
    const fresh = noValues()
    // Of tens of thousands of members the pairs of `Object.entries` take most of the time.
    for (const name in found) put(fresh.values, name, found[name])
    collected.set(found, fresh)
    return fresh
  }
}

const fieldReader =
  (sources: readonly (readonly [string, ValueSource])[], put: Put): ReadValues =>
  (context) => {
    const read = noValues()
    for (const [name, source] of sources) {
      const found = source.read(context)
      if (found !== undefined) put(read.values, name, found)
    }
    return read
  }

const pairReader =
  (key: ValueSource, value: ValueSource, put: Put): ReadValues =>
  (context) => {
    const name = key.read(context)
    if (typeof name !== 'string')
      return { problem: `${show(key.text)} must hold an item key, not ${show(name)}` }
    const found = value.read(context)
    if (found === undefined) return { problem: `${show(value.text)} holds no value`, isEmpty: true }
    const read = noValues()
    put(read.values, name, found)
    return read
  }

type Put = (values: Record<string, unknown>, name: string, value: unknown) => void

/** Keys are data: `__proto__` is a member like any other. */
const noValues = (): Values => ({ values: Object.create(null) })

function valueSetter({ items, booleans }: Settings): Put {
  const keys = new Map(Object.entries(items ?? {}))
  return (values, name, value) => {
    const key = keys.get(name) ?? name
    if (key !== '') values[key] = readValue(value, booleans === 'numbers')
  }
}

/** Reads a number sent as text; any other value stays as it is, and is reported later. */
function readValue(value: unknown, takesBooleans: boolean): unknown {
  if (typeof value === 'string') return parseDecimalText(value.trim()) ?? value
  if (typeof value === 'boolean' && takesBooleans) return value ? 1 : 0
  return value
}
