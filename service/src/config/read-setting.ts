import { fitsSchema } from '../schemas/check-schema.ts'
import { describeSchema } from '../schemas/describe-schema.ts'
import { asNode, type SchemaNode } from '../schemas/schema-node.ts'
import { formatPath, type ValuePath } from '../schemas/value-path.ts'
import { SETTINGS, type SettingName } from './settings.ts'

type Report = (path: ValuePath, sentence: string) => void

type CheckedSetting = { schema: object; accepts?(value: unknown): boolean }

/**
 * Parses and checks a value of a setting, which `where` names; undefined where it is refused.
 *
 * Each problem is reported with its path inside the value. Sentences do not repeat the value.
 */
export function readSetting(
  name: SettingName,
  input: unknown,
  where: string,
  report: Report,
): unknown {
  const { schema, accepts }: CheckedSetting = SETTINGS[name]
  const node = asNode(schema)
  const mustBe = `${where} must be ${describeSchema(node, 'yaml')}`
  const value = typeof input === 'string' ? fromText(node, input) : input
  if (value === NO_JSON) {
    report([], `${mustBe}, written as JSON`)
    return undefined
  }
  const fits = fitsSchema(
    schema,
    value,
    (path, message) => report(path, describe(where, path, message)),
    { hidesValues: true },
  )
  if (!fits) return undefined
  if (accepts?.(value) !== false) return value
  report([], mustBe)
  return undefined
}

function describe(where: string, path: ValuePath, message: string): string {
  if (path.length > 0) return `${where}${formatPath(path)}: ${message}`
  return `${where} ${message.replace(/^expected /, 'must be ')}`
}

/** A text that should be JSON and is not. */
const NO_JSON = Symbol('no JSON')

/** Parses the text of an environment variable, a flag or the file. */
function fromText(node: SchemaNode, text: string): unknown {
  if (node.type === 'array' && node.items?.type === 'object') return parseJson(text)
  if (node.type === 'array') return splitList(text)
  if (node.anyOf?.some((branch) => branch.const === text) === true) return text
  return isNumeric(node) ? toNumber(text) : text
}

const isNumeric = ({ type, anyOf = [] }: SchemaNode): boolean =>
  type === 'number' || type === 'integer' || anyOf.some(isNumeric)

/** Only digits, a sign and a point: whoever writes 0x2 or 1e1 may mean something else. */
const toNumber = (text: string): number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN)

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function parseJson(text: string): unknown {
  try {
    return text.trim() === '' ? [] : JSON.parse(text)
  } catch {
    return NO_JSON
  }
}
