import type { SiteEntry, UserEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from '../check/check-site.ts'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { formatProblem } from '../../yaml/yaml-file-error.ts'
import { removeOmittedStructures } from './omitted-structures.ts'

export type SiteText = { text: string; fileName: string }

/** The entries of a site file, and notes on values that are allowed but unusual. */
export type WantedEntries = {
  entries: SiteEntry[]
  /** Whether the file has a list of users, which may be empty. */
  declaresUsers: boolean
  notes: string[]
  /** The stored entries without those of removed structures. */
  left: readonly SiteEntry[]
  /** The entries of removed structures. */
  removed: readonly SiteEntry[]
  /** The stored users that saw a removed structure, without it. */
  narrowed: readonly UserEntry[]
}

/** How the entries of a site file are read. */
export type ReadWanted = (
  ...given: Parameters<typeof readWantedEntries>
) => WantedEntries | Promise<WantedEntries>

/**
 * Reads and checks a site file; throws a `YamlFileError` with every problem. With `removesStructures`
 * structures that are not in its list of structures are removed.
 */
export function readWantedEntries(
  { text, fileName }: SiteText,
  stored: readonly SiteEntry[],
  { removesStructures = false }: { removesStructures?: boolean } = {},
): WantedEntries {
  const document = readSiteFile(text, fileName)
  const listed = removesStructures ? document.file : {}
  const { left, removed, narrowed } = removeOmittedStructures(listed, stored)
  const notes = checkSite(document, left).map((note) => `note: ${formatProblem(fileName, note)}`)
  return {
    entries: flatten(document, left),
    declaresUsers: document.file.users !== undefined,
    notes,
    left,
    removed,
    narrowed,
  }
}
