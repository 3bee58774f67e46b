import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from '../check/check-site.ts'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { formatProblem } from '../../yaml/yaml-file-error.ts'

export type SiteText = { text: string; fileName: string }

/** The entries of a site file, and notes on values that are allowed but unusual. */
export type WantedEntries = {
  entries: SiteEntry[]
  /** Whether the file has a list of users, which may be empty. */
  declaresUsers: boolean
  notes: string[]
}

/** Reads and checks a site file; throws a `YamlFileError` with every problem. */
export function readWantedEntries(
  { text, fileName }: SiteText,
  stored: readonly SiteEntry[],
): WantedEntries {
  const document = readSiteFile(text, fileName)
  const notes = checkSite(document, stored).map((note) => `note: ${formatProblem(fileName, note)}`)
  return {
    entries: flatten(document, stored),
    declaresUsers: document.file.users !== undefined,
    notes,
  }
}
