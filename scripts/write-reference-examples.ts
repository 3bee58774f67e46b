/** Writes the examples of `docs/interface.md` for the OpenAPI document. */
import { writeFileSync } from 'node:fs'
import { format } from 'prettier'
import { referenceExamples } from './reference-examples.ts'

const target = new URL('../service/src/http/reference/examples.json', import.meta.url)
writeFileSync(target, await format(JSON.stringify(referenceExamples()), { parser: 'json' }))
