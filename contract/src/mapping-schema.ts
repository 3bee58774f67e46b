import { MappingFile } from './mapping.ts'
import { WaveformMappingFile } from './waveform-mapping.ts'

/** The JSON Schema of mapping files, for editors. */
export const mappingSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:plumbline:mapping-file:1',
  title: 'Plumbline mapping file',
  anyOf: [MappingFile, WaveformMappingFile],
}

/** The text of `docs/mapping.schema.json`. */
export function formatMappingSchema(): string {
  return `${JSON.stringify(mappingSchema, null, 2)}\n`
}
