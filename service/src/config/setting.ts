import type { Static, TSchema } from 'typebox'

/** A setting with its schema and default; the sample file shows its description. */
type Setting<Schema extends TSchema> = {
  schema: Schema
  default: Static<Schema>
  description: string
  /** A check that the schema cannot express. */
  accepts?(value: Static<Schema>): boolean
  /** An entry of a list as YAML, for the sample file. */
  example?: string
}

/** Returns the definition with the type of its schema. */
export const setting = <Schema extends TSchema>(definition: Setting<Schema>): Setting<Schema> =>
  definition
