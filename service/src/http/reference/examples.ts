import { asNode, type SchemaNode } from '../../schemas/schema-node.ts'
import type { Operation } from '@plumbline/contract'
import examples from './examples.json' with { type: 'json' }
import { toOpenApi } from './openapi-schema.ts'

type Texts = Readonly<Record<string, string>>

/** What `examples.json` has of an operation; a script writes it from the interface document. */
type Example = { params?: Texts; query?: Texts; body?: unknown; response?: unknown }

const EXAMPLES: ReadonlyMap<string, Example> = new Map(Object.entries(examples))

/** The example of an operation in the interface document; empty for one without. */
export const exampleOf = ({ operationId }: Operation): Example => EXAMPLES.get(operationId) ?? {}

/** The OpenAPI schema of parameters, each with its value in the example. */
export function parametersWithExamples(schema: object, texts: Texts = {}): object {
  const node = asNode(schema)
  const { properties = {} } = node
  const shown = Object.entries(properties).map(([name, property]) => {
    const text = Object.hasOwn(texts, name) ? texts[name] : undefined
    return [
      name,
      text === undefined ? property : { ...property, examples: [valueOf(property, text)] },
    ]
  })
  return toOpenApi({ ...node, properties: Object.fromEntries(shown) })
}

/** A parameter as its schema types it; a flag is set by its name alone. */
function valueOf({ type, flag }: SchemaNode, text: string): unknown {
  if (type === 'number' || type === 'integer') return Number(text)
  return type === 'boolean' ? flag === true || text === 'true' : text
}

/** The OpenAPI schema of a body with its example, where there is one. */
export const bodyWithExample = (schema: object, example: unknown): object => ({
  ...toOpenApi(asNode(schema)),
  ...(example === undefined ? {} : { examples: [example] }),
})
