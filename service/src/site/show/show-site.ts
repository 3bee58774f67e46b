import type { SiteFile } from '@plumbline/contract/site'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { writeYaml } from '../../yaml/write-yaml.ts'
import { maskCamera } from '../apply/camera-addresses.ts'
import { unflatten } from './unflatten.ts'

type ShowOptions = { withSecrets?: boolean }

/**
 * The stored site as a site file that applies unchanged. Passwords in addresses of cameras are masked,
 * unless it is `withSecrets`; applying a masked address keeps the stored one.
 */
export function showSite(
  entries: readonly SiteEntry[],
  { withSecrets = false }: ShowOptions = {},
): SiteFile {
  return unflatten(
    entries.map((entry) => (entry.kind === 'camera' && !withSecrets ? maskCamera(entry) : entry)),
  )
}

/** The text of a site file. */
export const formatSiteFile = (file: SiteFile): string => `${NOTE}${writeYaml(file)}`

const NOTE = `# The site as it is stored, printed by "plumbline site show"; applying it changes nothing.
`
