import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  TOKEN_ENDPOINTS,
  READ_ENDPOINTS,
  INGEST_ENDPOINTS,
  MANAGE_ENDPOINTS,
} from '../../client/src/endpoints.ts'
import * as contract from '../../contract/src/index.ts'
import { methodText } from './method-types.ts'
import { docText, schemaText, type Names, type Schema } from './schema-text.ts'

const OPERATIONS = new Map(
  contract.OPERATIONS.map((operation) => [operation.operationId, operation]),
)

type Endpoints = Readonly<Record<string, { constants?: Readonly<Record<string, string>> }>>

/** Writes the types of the contract and of the methods as text that needs no other package. */
export function writeTypes(root: string, folder: string, typeNames: readonly string[]): void {
  const schemas = typeNames.map((name) => [name, schemaOf(name)] as const)
  const names: Names = new Map(schemas.map(([name, schema]) => [schema, name]))
  const docs = readDocs(root)
  const types = schemas.map(
    ([name, schema]) =>
      `${docText(docs.get(name) ?? schema.description)}export type ${name} = ${schemaText(schema, names)}`,
  )
  writeFileSync(join(folder, 'contract.d.ts'), `${types.join('\n')}\n`)
  writeFileSync(join(folder, 'clients.d.ts'), clientsText(typeNames, names))
}

function schemaOf(name: string): Schema {
  const schema: unknown = Reflect.get(contract, name)
  if (typeof schema !== 'object' || schema === null)
    throw new Error(`The contract has no schema "${name}", whose type the client exports.`)
  return schema
}

/** The comments of exported schemas, which say what they promise. */
function readDocs(root: string): Map<string, string> {
  const docs = new Map<string, string>()
  for (const file of globSync('contract/src/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, doc = '', name = ''] of text.matchAll(
      /\/\*\* ([^\n]*) \*\/\nexport const (\w+) = /g,
    ))
      docs.set(name, doc)
  }
  return docs
}

function clientsText(typeNames: readonly string[], names: Names): string {
  const methods = (endpoints: Endpoints): string =>
    Object.entries(endpoints)
      .map(([id, endpoint]) => methodText(operationOf(id), endpoint, names))
      .join('\n')
  return `import type { ${typeNames.join(', ')} } from './contract.js'
import type { CallOptions } from './options.js'
import type { TemporalTime } from './times.js'

/** A method for each operation of the interface and of management. */
export interface OperationsClient {
${methods({ ...READ_ENDPOINTS, ...MANAGE_ENDPOINTS })}
}

/** A method for each operation that needs the id and secret of an application. */
export interface TokenMethods {
${methods(TOKEN_ENDPOINTS)}
}

/** A method for each operation of ingest. */
export interface IngestClient {
${methods(INGEST_ENDPOINTS)}
}
`
}

function operationOf(id: string): contract.Operation {
  const operation = OPERATIONS.get(id)
  if (operation === undefined) throw new Error(`The contract has no operation "${id}".`)
  return operation
}
