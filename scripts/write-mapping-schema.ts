/** Writes `docs/mapping.schema.json`, with which editors complete mapping files. */
import { writeFileSync } from 'node:fs'
import { formatMappingSchema } from '../contract/src/mapping-schema.ts'

writeFileSync(new URL('../docs/mapping.schema.json', import.meta.url), formatMappingSchema())
