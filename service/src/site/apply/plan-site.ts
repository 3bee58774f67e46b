import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from '../check/check-site.ts'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { formatProblem } from '../../yaml/yaml-file-error.ts'
import type { SiteText } from './apply.ts'

/** What a file wants of the site, and what is allowed in it but perhaps not meant. */
export type SitePlan = {
  entries: SiteEntry[]
  /** Whether the file has a list of users, an empty one too. */
  declaresUsers: boolean
  notes: string[]
}

/** Reads, checks and flattens a site file; refuses it whole with every problem's line. */
export function planSite({ text, fileName }: SiteText, stored: readonly SiteEntry[]): SitePlan {
  const file = readSiteFile(text, fileName)
  const notes = checkSite(file, stored).map((note) => `note: ${formatProblem(fileName, note)}`)
  return { entries: flatten(file, stored), declaresUsers: file.users !== undefined, notes }
}
