import { readFileSync } from 'node:fs'

/** The text of the example site file. */
export const exampleText = readFileSync(
  new URL('../../../examples/site.example.yaml', import.meta.url),
  'utf8',
)
