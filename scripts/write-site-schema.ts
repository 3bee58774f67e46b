/** Writes `docs/site.schema.json`, with which editors complete site files. */
import { writeFileSync } from 'node:fs'
import { formatSiteSchema } from '../contract/src/site-schema.ts'

writeFileSync(new URL('../docs/site.schema.json', import.meta.url), formatSiteSchema())
