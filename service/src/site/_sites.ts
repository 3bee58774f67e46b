import { readFileSync } from 'node:fs'

/** Texts that the tests of this folder share. */
export const exampleText = readFileSync(
  new URL('../../../examples/site.example.yaml', import.meta.url),
  'utf8',
)
