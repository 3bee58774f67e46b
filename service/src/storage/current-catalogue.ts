import { Catalogue } from '../domain/site/catalogue.ts'
import type { SiteStore } from './stores/site.ts'

/**
 * Returns the catalogue of the current site, also after a change by another process.
 *
 * A caller that knows the version of the site passes it and saves a query.
 */
export type CurrentCatalogue = (knownVersion?: number) => Promise<Catalogue>

/** Caches one catalogue; reads the site again when its version has changed. */
export function openCatalogue(sites: Pick<SiteStore, 'load' | 'version'>): CurrentCatalogue {
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
    const loaded = await (loading ??= load())
    // It may have been read before the version that the caller knows.
    return loaded.version >= version ? loaded : (loading ??= load())
  }
}
