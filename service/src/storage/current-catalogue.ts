import { Catalogue } from '../domain/site/catalogue.ts'
import type { SiteStore } from './storage.ts'

/**
 * Gives the site as it stands now, also when another process has just changed it.
 *
 * Who has read the site's version already hands it over and saves a look-up.
 */
export type CurrentCatalogue = (knownVersion?: number) => Promise<Catalogue>

/** Keeps one catalogue and reads the site again only when its version has moved. */
export function openCatalogue(sites: SiteStore): CurrentCatalogue {
  let current: Catalogue | undefined
  let loading: Promise<Catalogue> | undefined

  const load = async (): Promise<Catalogue> => {
    try {
      current = new Catalogue(await sites.load())
      return current
    } finally {
      loading = undefined
    }
  }

  return async (knownVersion) => {
    const version = knownVersion ?? (await sites.version())
    if (current?.version === version) return current
    return (loading ??= load())
  }
}
