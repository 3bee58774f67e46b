import { SiteFile } from '@plumbline/contract/site'
import { readYamlFile } from '../../yaml/read-yaml-file.ts'
import { checkStorable } from '../check/storable.ts'
import { rememberLines } from './site-lines.ts'

/**
 * The site file that a text holds, as it was written: defaults are not filled in.
 *
 * A text that is no YAML, or does not fit the schema of site files, is refused with a
 * `YamlFileError` that names every place. What the schema cannot say is `checkSite`'s.
 */
export function readSiteFile(text: string, fileName: string): SiteFile {
  const { value: file, problems } = readYamlFile(text, fileName, () => SiteFile)
  checkStorable(file, problems.report)
  problems.throwIfAny()
  rememberLines(file, problems.lines)
  return file
}
