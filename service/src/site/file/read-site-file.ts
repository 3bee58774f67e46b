import { SiteFile } from '@plumbline/contract/site'
import type { YamlLines } from '../../yaml/problem-list.ts'
import { readYamlFile } from '../../yaml/read-yaml-file.ts'
import { checkStorable } from '../check/storable.ts'

/** A site file as it was written, without defaults, and the lines of its parts. */
export type SiteDocument = { file: SiteFile; lines: YamlLines }

/**
 * Parses a site file and checks it against its schema; throws a `YamlFileError` with every problem.
 *
 * `checkSite` checks what the schema cannot express.
 */
export function readSiteFile(text: string, fileName: string): SiteDocument {
  const { value: file, problems } = readYamlFile(text, fileName, () => SiteFile)
  checkStorable(file, problems.report)
  problems.throwIfAny()
  return { file, lines: problems.lines }
}
