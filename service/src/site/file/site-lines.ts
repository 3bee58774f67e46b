import type { SiteFile } from '@plumbline/contract/site'
import { ProblemList, type YamlLines } from '../../yaml/problem-list.ts'

// The lines travel beside the file, so that the file itself stays plain data.
const linesOfFile = new WeakMap<SiteFile, YamlLines>()

export function rememberLines(file: SiteFile, lines: YamlLines): void {
  linesOfFile.set(file, lines)
}

/** A list for a file that `readSiteFile` gave; any other file has no lines. */
export const problemsOf = (file: SiteFile): ProblemList =>
  new ProblemList(linesOfFile.get(file) ?? { fileName: 'site file', lineOf: () => null })
