import { isObject } from '../json/is-object.ts'
import { asNode, type SchemaNode } from '../schemas/schema-node.ts'
import { SETTINGS, type SettingName } from './settings.ts'

const MASK = '***'

/** A value of a setting without its secrets, for people and logs. */
export function maskSecrets(name: SettingName, value: unknown): unknown {
  const { schema }: { schema: object } = SETTINGS[name]
  return mask(asNode(schema), value)
}

function mask(node: SchemaNode, value: unknown): unknown {
  if (node.writeOnly === true) return MASK
  if (Array.isArray(value)) return value.map((one) => mask(node.items ?? {}, one))
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, mask(node.properties?.[key] ?? {}, inner)]),
    )
  // An address may hold a user name and a password.
  return typeof value === 'string' ? value.replace(/\/\/[^/]*@/, `//${MASK}@`) : value
}
