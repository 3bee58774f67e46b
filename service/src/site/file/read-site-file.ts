import { SiteFile } from '@plumbline/contract/site'
import { checkShape, type Shape } from '../../yaml/shape.ts'
import { ProblemList } from '../../yaml/problem-list.ts'
import { rememberLines } from './site-lines.ts'
import type { YamlPath } from '../../yaml/yaml-file-error.ts'
import { checkStorable } from '../check/storable.ts'
import { readYaml } from '../../yaml/yaml-text.ts'

/**
 * The site file that a text holds, as it was written: defaults are not filled in.
 *
 * A text that is no YAML, or not in the shape of a site file, is refused with a
 * `YamlFileError` that names every place. What the shape cannot say is `checkSite`'s.
 */
export function readSiteFile(text: string, fileName: string): SiteFile {
  const { value, problems, lineOf } = readYaml(text)
  const lines = { fileName, lineOf }
  const list = new ProblemList(lines)
  for (const { line, message } of problems) list.addLine(line, message)
  list.throwIfAny()

  const report = (path: YamlPath, message: string) => list.add(path, message)
  if (value === null) list.addLine(1, 'the file is empty')
  else checkShape(SiteFile as unknown as Shape, value, report)
  list.throwIfAny()
  checkStorable(value, report)
  list.throwIfAny()

  const file = value as SiteFile
  rememberLines(file, lines)
  return file
}
