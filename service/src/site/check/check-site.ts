import type { SiteFile } from '@plumbline/contract/site'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { checkCatalogue } from './check-catalogue.ts'
import { checkIds } from './check-ids.ts'
import { checkStructure, checkTimeZone } from './check-structure.ts'
import { each } from '../file/file-parts.ts'
import type { FileProblem } from '../../yaml/yaml-file-error.ts'
import { problemsOf } from '../file/site-lines.ts'
import { surroundingsOf } from './surroundings.ts'

/**
 * Refuses, with a `YamlFileError` that names every place, a file that contradicts itself or the
 * entries stored already. Gives notes on what is allowed and perhaps not meant.
 */
export function checkSite(file: SiteFile, stored: readonly SiteEntry[]): FileProblem[] {
  const surroundings = surroundingsOf(file, stored)
  const problems = problemsOf(file)
  const notes = problemsOf(file)

  if (file.timeZone !== undefined) checkTimeZone(file.timeZone, ['timeZone'], problems)
  checkIds(file, stored, surroundings, problems)
  checkCatalogue(file, surroundings, problems)
  for (const [structure, path] of each(file.structures, 'structures')) {
    if (file.timeZone === undefined && structure.timeZone === undefined) {
      problems.add(path, 'timeZone is missing: give it here or for the whole file')
    }
    checkStructure(structure, path, { surroundings, problems, notes })
  }
  problems.throwIfAny()
  return notes.problems
}
