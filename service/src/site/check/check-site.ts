import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { checkCatalogue } from './check-catalogue.ts'
import { checkIds } from './check-ids.ts'
import { checkStructure, checkTimeZone } from './check-structure.ts'
import { each } from '../file/file-parts.ts'
import type { SiteDocument } from '../file/read-site-file.ts'
import { ProblemList } from '../../yaml/problem-list.ts'
import type { FileProblem } from '../../yaml/yaml-file-error.ts'
import { siteContext } from './site-context.ts'

/**
 * Checks a site file against itself and the stored entries; throws a `YamlFileError` with every
 * problem. Returns notes on values that are allowed but unusual.
 */
export function checkSite(
  { file, lines }: SiteDocument,
  stored: readonly SiteEntry[],
): FileProblem[] {
  const context = siteContext(file, stored)
  const problems = new ProblemList(lines)
  const notes = new ProblemList(lines)

  if (file.timeZone !== undefined) checkTimeZone(file.timeZone, ['timeZone'], problems)
  checkIds(file, stored, context, problems)
  checkCatalogue(file, context, problems)
  for (const [structure, path] of each(file.structures, 'structures')) {
    if (file.timeZone === undefined && structure.timeZone === undefined) {
      problems.add(path, 'timeZone is missing: set it here or for the whole file')
    }
    checkStructure(structure, path, { context, problems, notes })
  }
  problems.throwIfAny()
  return notes.problems
}
