import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { difference } from './apply/difference.ts'
import { readWantedEntries } from './apply/read-wanted-entries.ts'
import { checkSite } from './check/check-site.ts'
import { flatten } from './file/flatten.ts'
import { readSiteFile } from './file/read-site-file.ts'
import { formatSiteFile, showSite } from './show/show-site.ts'

type Numbers = { clause?: string; unconfirmed?: boolean }
type Item = {
  item: string
  config?: Numbers[]
  rates?: Numbers[]
  range?: Numbers
  frozen?: Numbers
  design?: Numbers
}
type Preset = { thresholds: { batchNo: string; stations: number[]; items: Item[] }[] }

const folder = new URL('../../../presets/', import.meta.url)
const files = globSync('*.yaml', { cwd: folder })

test('there are presets for foundation pits and bridges', () => {
  assert.deepEqual(files.toSorted(), ['bridge.yaml', 'foundation-pit.yaml'])
})

for (const file of files) {
  const preset = parse(readFileSync(new URL(file, folder), 'utf8')) as Preset

  test(`${file} is accepted in a site, with a note on each number that is not confirmed`, () => {
    const unconfirmed = preset.thresholds
      .flatMap(({ items }) => items.flatMap(numbersOf))
      .filter((numbers) => numbers.unconfirmed === true)

    const site = readSiteFile(siteWith(preset), file)
    const notes = checkSite(site, [])

    assert.equal(
      notes
        .map(({ path, message }) => `${path}: ${message}`)
        .join('\n')
        .split('not confirmed').length - 1,
      unconfirmed.length,
    )
    assert.equal(notes.length, unconfirmed.length, notes.map(({ message }) => message).join('\n'))
    const batches = flatten(site).filter(({ kind }) => kind === 'thresholdBatch')
    assert.equal(batches.length, preset.thresholds.length)
  })

  test(`a site with ${file} is shown as a file that applies unchanged`, () => {
    const stored = JSON.parse(JSON.stringify(flatten(readSiteFile(siteWith(preset), file))))

    const shown = { text: formatSiteFile(showSite(stored)), fileName: file }

    assert.deepEqual(difference(stored, readWantedEntries(shown, stored).entries), [])
  })

  test(`every number of ${file} follows a clause or is marked as not confirmed`, () => {
    const silent = preset.thresholds
      .flatMap(({ items }) => items.flatMap(numbersOf))
      .filter(({ clause, unconfirmed }) => clause === undefined && unconfirmed !== true)

    assert.deepEqual(silent, [])
  })
}

function numbersOf({ config, rates, range, frozen, design }: Item): Numbers[] {
  const single = [range, frozen, design].filter((numbers) => numbers !== undefined)
  return [...(config ?? []), ...(rates ?? []), ...single]
}

/** A site of one structure whose factor has every item and station that the preset names. */
function siteWith({ thresholds }: Preset): string {
  const keys = [...new Set(thresholds.flatMap(({ items }) => items.map(({ item }) => item)))]
  const items = keys.map((key, index) => ({ id: index + 1, key, name: key, precision: 0.1 }))
  const stations = [...new Set(thresholds.flatMap((batch) => batch.stations))]
  return stringify({
    timeZone: 'Asia/Shanghai',
    structureTypes: [{ id: 1, name: 'Any' }],
    factors: [{ id: 1, name: 'All', items }],
    structures: [
      {
        id: 1,
        name: 'S',
        type: 1,
        latitude: 0,
        longitude: 0,
        factors: [
          { factor: 1, stations: stations.map((id) => ({ id, name: `S${id}` })), thresholds },
        ],
      },
    ],
  })
}
