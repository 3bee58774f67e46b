import type { Static, TSchema } from 'typebox'

/** One setting; its schema says what it may be, its description stands in the sample file. */
export type Setting<Schema extends TSchema> = {
  schema: Schema
  default: Static<Schema>
  description: string
  /** Whether a value that fits the schema can be used, where a schema cannot say so. */
  accepts?(value: Static<Schema>): boolean
  /** An entry of a list as YAML, for the sample file. */
  example?: string
}

export const setting = <Schema extends TSchema>(definition: Setting<Schema>): Setting<Schema> =>
  definition
