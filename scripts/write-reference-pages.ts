/** Writes `docs/commands.md` and `docs/settings.md`, the pages that the code knows. */
import { writeFileSync } from 'node:fs'
import { formatPages } from './docs/reference-pages.ts'

for (const { path, text } of await formatPages())
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
