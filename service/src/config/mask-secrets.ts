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
  return typeof value === 'string' ? maskAddress(value) : value
}

/** An address without its user name and password; that of a database with its user name. */
const maskAddress = (address: string): string =>
  /^postgres(ql)?:/i.test(address)
    ? address.replace(/^([^:]*:\/\/[^:/?#]*):[^/?#]*@/, `$1:${MASK}@`)
    : address.replace(/\/\/[^/]*@/, `//${MASK}@`)
