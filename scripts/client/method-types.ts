import type { Operation } from '../../contract/src/index.ts'
import { docText, schemaText, type Names, type Schema } from './schema-text.ts'

/** What the client says of an operation, beside the contract. */
type Said = { constants?: Readonly<Record<string, string>> }

const TIMES = new Set(['startTime', 'endTime', 'collectTime', 'time'])

/** Texts of ids joined by commas, in whose place there may be a list. */
const ID_LISTS = new Set(['stations'])

/** The declaration of the method of an operation. */
export function methodText(operation: Operation, said: Said, names: Names): string {
  const { operationId, summary, method, base, url, schema } = operation
  const members = inputMembers(operation, said, names)
  const input =
    members.length === 0
      ? 'Record<string, never>'
      : `{ ${members.map(({ text }) => text).join('; ')} }`
  const isOptional = members.every(({ isOptional }) => isOptional)
  const response: Schema | undefined = schema.response[200]
  const output =
    response === undefined ? 'void' : (names.get(response) ?? schemaText(response, names))
  return (
    docText(`${summary}: \`${method} ${base}${url}\`.`) +
    `readonly ${operationId}: (input${isOptional ? '?' : ''}: ${input}, options?: CallOptions) => Promise<${output}>`
  )
}

type Member = { text: string; isOptional: boolean }

/** The members of path, query string and body; one that is in two of them is there once. */
function inputMembers({ schema }: Operation, said: Said, names: Names): Member[] {
  const parts = [schema.params, schema.querystring, schema.body].map(
    (part) => (part ?? {}) as Schema,
  )
  const required = new Set(parts.flatMap((part) => part.required ?? []))
  const members = new Map(parts.flatMap((part) => Object.entries(part.properties ?? {})))
  return [...members]
    .filter(([name]) => said.constants?.[name] === undefined)
    .map(([name, member]) => {
      const isOptional = !required.has(name) || member.default !== undefined
      const type = inputText(name, member, names)
      const text = isOptional ? `${name}?: ${type} | undefined` : `${name}: ${type}`
      return { text: docText(member.description) + text, isOptional }
    })
}

function inputText(name: string, schema: Schema, names: Names): string {
  const type = names.get(schema) ?? schemaText(schema, names)
  if (ID_LISTS.has(name) && schema.type === 'string') return `${type} | readonly number[]`
  if (TIMES.has(name)) return `${type} | TemporalTime`
  const { items } = schema
  if (items?.required?.includes('time') !== true) return type
  const element = schemaText(items, names, (member, text) =>
    member === 'time' ? `${text} | TemporalTime` : undefined,
  )
  return `ReadonlyArray<${element}>`
}
