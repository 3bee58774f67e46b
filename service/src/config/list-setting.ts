import type { Static, TObject, TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { RefusedError } from '../errors/refused-error.ts'

/** A setting that is a list of objects; as an environment variable it is JSON. */
export type ListSetting<Entry> = {
  default: readonly Entry[]
  description: string
  /** One entry as YAML, for the sample file. */
  example: string
  /** What an entry holds. */
  schema: TObject
  /** Reads what somebody wrote; refuses it by its place, and never repeats a value. */
  read(given: unknown, where: string): readonly Entry[]
}

/** Makes a list of objects a setting; what an object may hold is a schema that refuses the rest. */
export function listSetting<Schema extends TObject>(definition: {
  schema: Schema
  description: string
  example: string
}): ListSetting<Static<Schema>> {
  const { schema } = definition
  return {
    ...definition,
    default: [],
    read(given, where) {
      const list = typeof given === 'string' ? parse(given, where) : given
      if (!Array.isArray(list)) throw refuse(`${where} must be a list`)
      return list.map((entry: unknown, at) => {
        if (Check(schema, entry)) return entry
        throw refuse(describe(schema, entry, `${where}[${at}]`))
      })
    },
  }
}

export const isListSetting = (setting: object): setting is ListSetting<unknown> =>
  'schema' in setting

function parse(text: string, where: string): unknown {
  try {
    return text.trim() === '' ? [] : (JSON.parse(text) as unknown)
  } catch {
    throw refuse(`${where} must be a list, written as JSON`)
  }
}

/** The first thing that is wrong, by its place; a password may stand in any value. */
function describe(schema: TSchema, entry: unknown, where: string): string {
  const [first] = Errors(schema, entry)
  const steps = (first?.instancePath ?? '').split('/').slice(1)
  const place =
    where + steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  const { requiredProperties, allowedValues } = (first?.params ?? {}) as Record<
    string,
    readonly unknown[] | undefined
  >
  if (requiredProperties !== undefined)
    return `${place}.${String(requiredProperties[0])} is missing`
  if (first?.keyword === 'boolean')
    return `${place.slice(0, place.lastIndexOf('.'))}: there is no "${steps.at(-1)}" here`
  if (allowedValues !== undefined) return `${place} must be one of ${allowedValues.join(', ')}`
  return `${place} ${first?.message ?? 'is wrong'}`
}

const refuse = (sentence: string) => new RefusedError('invalid', sentence)
