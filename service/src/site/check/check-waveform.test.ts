import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StationEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from './check-site.ts'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { YamlFileError } from '../../yaml/yaml-file-error.ts'

const site = (fromWaveform: string, rest = '') => `timeZone: UTC
structureTypes: [{ id: 2, name: Bridge }]
factors:
  - { id: 33, name: Vibration, items: [{ id: 331, key: pv, name: Peak, unit: g, precision: 1 }] }
  - id: 34
    name: Modes
    items:
      - { id: 341, key: f1, name: First, unit: Hz, precision: 0.001 }
      - { id: 342, key: f2, name: Second, unit: Hz, precision: 0.001 }
structures:
  - id: 1
    name: Bridge
    type: 2
    latitude: 0
    longitude: 0
    factors:
      - { factor: 33, stations: [{ id: 10, name: A }] }
      - factor: 34
        stations:
          - { id: 11, name: M, fromWaveform: ${fromWaveform}${rest} }
    devices:
      - { id: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02, name: G, kind: sensor, items: [{ key: f1, name: F }] }
  - { id: 2, name: Other, type: 2, latitude: 0, longitude: 0 }
`

const PLACE = 'structures[0].factors[1].stations[0].fromWaveform'

const check = (text: string) => checkSite(readSiteFile(text, 's.yaml'), [])

describe('a station that tracks waveforms', () => {
  test('becomes an entry with the ratio filled in; others have no such member', () => {
    const text = site(
      '{ station: 10, peaks: [{ item: f1, low: 2, high: 3 }, { item: f2, low: 5, high: 9, ratio: 8 }] }',
    )
    check(text)

    const [plain, tracking] = flatten(readSiteFile(text, 's.yaml')).filter(
      (entry): entry is StationEntry => entry.kind === 'station',
    )
    assert.equal('fromWaveform' in plain!, false)
    assert.deepEqual(tracking!.fromWaveform, {
      station: 10,
      peaks: [
        { item: 'f1', low: 2, high: 3, ratio: 5 },
        { item: 'f2', low: 5, high: 9, ratio: 8 },
      ],
    })
  })

  for (const [what, source, at, message, rest] of [
    [
      'a station elsewhere',
      '{ station: 12, peaks: [{ item: f1, low: 2, high: 3 }] }',
      '.station',
      'structure 1 has no station 12 in this file',
    ],
    [
      'itself',
      '{ station: 11, peaks: [{ item: f1, low: 2, high: 3 }] }',
      '.station',
      'station 11 cannot track its own waveforms',
    ],
    [
      'an item that the factor has not',
      '{ station: 10, peaks: [{ item: f3, low: 2, high: 3 }] }',
      '.peaks[0].item',
      'factor 34 has no item f3 (did you mean f1?)',
    ],
    [
      'an item twice',
      '{ station: 10, peaks: [{ item: f1, low: 2, high: 3 }, { item: f1, low: 4, high: 5 }] }',
      '.peaks[1].item',
      'f1 has a band already',
    ],
    [
      'a band turned round',
      '{ station: 10, peaks: [{ item: f1, low: 3, high: 3 }] }',
      '.peaks[0].low',
      'low is 3 Hz, expected less than high, 3 Hz',
    ],
    [
      'sensors as well',
      '{ station: 10, peaks: [{ item: f1, low: 2, high: 3 }] }',
      '',
      'station 11 has its values from sensors already',
      ', from: { sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02] }',
    ],
  ] as const)
    test(`is refused with ${what}`, () => {
      assert.throws(
        () => check(site(source, rest)),
        (error: unknown) => {
          assert.ok(error instanceof YamlFileError)
          assert.match(error.message, new RegExp(`${RegExp.escape(`${PLACE}${at}`)}`))
          assert.ok(error.message.includes(message), error.message)
          return true
        },
      )
    })
})
