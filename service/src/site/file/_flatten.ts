import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from '../check/check-site.ts'
import { flatten } from './flatten.ts'
import { readSiteFile } from './read-site-file.ts'

/** The entries of the text of a site file that is checked first. */
export function flattenText(text: string): SiteEntry[] {
  const file = readSiteFile(text, 's.yaml')
  checkSite(file, [])
  return flatten(file)
}
