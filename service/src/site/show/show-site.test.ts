import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { runs } from '../../../test/_random.ts'
import { SITE } from '../../../test/_site.ts'
import { difference } from '../apply/difference.ts'
import { hasNewOrder } from '../apply/entry-order.ts'
import { readWantedEntries } from '../apply/read-wanted-entries.ts'
import { exampleText } from '../_sites.ts'
import { formatSiteFile, showSite } from './show-site.ts'
import { siteFiles } from './_site-files.ts'

const read = (text: string, stored: readonly SiteEntry[] = []): SiteEntry[] =>
  readWantedEntries({ text, fileName: 'site.yaml' }, stored).entries

/** As storage keeps them. */
const kept = (entries: readonly SiteEntry[]): SiteEntry[] => JSON.parse(JSON.stringify(entries))

const nameOf = ({ kind, id }: SiteEntry): string => `${kind} ${id}`

function assertUnchanged(stored: readonly SiteEntry[]): void {
  const shown = formatSiteFile(showSite(stored))
  const again = read(shown, stored)
  assert.deepEqual(difference(stored, again), [], shown)
  assert.equal(hasNewOrder(stored, again), false, shown)
  assert.deepEqual(again.map(nameOf).toSorted(), stored.map(nameOf).toSorted())
}

describe('the shown site', () => {
  test('applies unchanged, whatever the site is', () => {
    fc.assert(
      fc.property(siteFiles, (file) => {
        assertUnchanged(kept(read(stringify(file, { aliasDuplicateObjects: false }))))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('with secrets declares the same site in an empty service', () => {
    fc.assert(
      fc.property(siteFiles, (file) => {
        const stored = kept(read(stringify(file, { aliasDuplicateObjects: false })))

        const again = read(formatSiteFile(showSite(stored, { withSecrets: true })))

        assert.deepEqual(difference(stored, again), [])
      }),
      { numRuns: runs(500) },
    )
  })

  const demo = new URL('../../../../examples/demo-site/site.yaml', import.meta.url)
  for (const [name, text] of [
    ['the example', exampleText],
    ['the demo site', readFileSync(demo, 'utf8')],
    ['the site of the tests', SITE],
  ] as const)
    test(`of ${name} applies unchanged`, () => assertUnchanged(kept(read(text))))

  test('has no password of a camera, and a masked address that fits none is refused', () => {
    const source = 'rtsp://admin:secret@192.0.2.10/1'
    const stored = kept(read(SITE.replace('rtsp://192.0.2.10/1', source)))

    const shown = formatSiteFile(showSite(stored))
    const moved = shown.replace('***@192.0.2.10', '***@192.0.2.99')

    assert.match(shown, /source: rtsp:\/\/\*\*\*@192\.0\.2\.10\/1/)
    assert.doesNotMatch(shown, /secret/)
    assert.match(formatSiteFile(showSite(stored, { withSecrets: true })), /admin:secret@/)
    assert.throws(
      () => read(moved, stored),
      /cameras\[0\]\.source: the address is masked, and another address of camera 1 is stored/,
    )
    assert.throws(() => read(shown), /the address is masked, and no address of camera 1 is stored/)
  })
})
