import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCatalogue } from './current-catalogue.ts'
import type { SiteStore, StoredSite } from './stores/site.ts'

const site = (version: number): StoredSite => ({
  version,
  entries: [],
  defaultGroups: [],
  sensorKeys: new Map(),
})

test('a caller that knows a version does not get an older site that is being read', async () => {
  const first = Promise.withResolvers<StoredSite>()
  const loads = [first.promise, Promise.resolve(site(2))]
  const sites: Pick<SiteStore, 'load' | 'version'> = {
    load: () => loads.shift()!,
    version: async () => 1,
  }
  const current = openCatalogue(sites)

  const older = current(1)
  // Another process has applied a site meanwhile.
  const newer = current(2)
  first.resolve(site(1))

  assert.equal((await older).version, 1)
  assert.equal((await newer).version, 2)
})
