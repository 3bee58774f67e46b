import { RefusedError } from '../errors/refused-error.ts'
import { fitsSchema } from '../schemas/check-schema.ts'
import { describeSchema } from '../schemas/describe-schema.ts'
import { asNode, type SchemaNode } from '../schemas/schema-node.ts'
import { formatPath } from '../schemas/value-path.ts'
import { SETTINGS, type Config, type SettingName } from './settings.ts'

/** Parses and checks a value of a setting; `where` names its source. Errors do not repeat the value. */
export function readSetting<Name extends SettingName>(
  name: Name,
  input: unknown,
  where: string,
): Config[Name]
export function readSetting(name: SettingName, input: unknown, where: string): unknown {
  const { schema, accepts }: CheckedSetting = SETTINGS[name]
  const node = asNode(schema)
  const value = typeof input === 'string' ? fromText(node, input, where) : input
  const problems: string[] = []
  const fits = fitsSchema(
    schema,
    value,
    (path, message) => {
      const isWhole = path.length === 0
      problems.push(isWhole ? mustBe(where, node) : `${where}${formatPath(path)}: ${message}`)
    },
    { hidesValues: true },
  )
  if (fits && accepts?.(value) !== false) return value
  throw refuse(problems[0] ?? mustBe(where, node))
}

type CheckedSetting = { schema: object; accepts?(value: unknown): boolean }

const mustBe = (where: string, node: SchemaNode): string =>
  `${where} must be ${describeSchema(node, 'yaml')}`

/** Parses the text of an environment variable, a flag or the file. */
function fromText(node: SchemaNode, text: string, where: string): unknown {
  if (node.type === 'array' && node.items?.type === 'object') return parseJson(node, text, where)
  if (node.type === 'array') return splitList(text)
  return isNumeric(node) ? toNumber(text) : text
}

const isNumeric = ({ type, anyOf = [] }: SchemaNode): boolean =>
  type === 'number' || type === 'integer' || anyOf.some(isNumeric)

const toNumber = (text: string): number | undefined =>
  text.trim() === '' ? undefined : Number(text)

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function parseJson(node: SchemaNode, text: string, where: string): unknown {
  try {
    return text.trim() === '' ? [] : JSON.parse(text)
  } catch {
    throw refuse(`${mustBe(where, node)}, written as JSON`)
  }
}

const refuse = (sentence: string) => new RefusedError('invalid', sentence)
