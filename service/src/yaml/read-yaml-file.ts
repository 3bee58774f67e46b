import type { Static, TSchema } from 'typebox'
import { fitsSchema } from '../schemas/check-schema.ts'
import { ProblemList } from './problem-list.ts'
import { readYaml } from './yaml-text.ts'

type YamlFile<Schema extends TSchema> = {
  value: Static<Schema>
  /** Collects further problems of the file. */
  problems: ProblemList
}

/**
 * Parses a YAML file and checks it against the schema that `schemaOf` chooses.
 *
 * A text that is not YAML or does not fit the schema is refused; the error lists every place.
 */
export function readYamlFile<Schema extends TSchema>(
  text: string,
  fileName: string,
  schemaOf: (value: unknown) => Schema,
): YamlFile<Schema> {
  const { value, problems: textProblems, lineOf } = readYaml(text)
  const problems = new ProblemList({ fileName, lineOf })
  for (const { line, message } of textProblems) problems.addLine(line, message)
  problems.throwIfAny()

  if (value === null) problems.addLine(1, 'the file is empty')
  if (value !== null && fitsSchema(schemaOf(value), value, problems.report))
    return { value, problems }
  throw problems.error()
}
