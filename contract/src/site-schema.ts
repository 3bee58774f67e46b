import { SiteFile } from './site.ts'

/** The JSON Schema of site files, for editors. */
export const siteSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:plumbline:site-file:1',
  title: 'Plumbline site file',
  ...SiteFile,
}

/** The text of `docs/site.schema.json`. */
export function formatSiteSchema(): string {
  return `${JSON.stringify(siteSchema, null, 2)}\n`
}
