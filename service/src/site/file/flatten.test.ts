import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteFile } from '@plumbline/contract/site'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { parse, stringify } from 'yaml'
import { runs } from '../../../test/_random.ts'
import type { StationEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from '../check/check-site.ts'
import { difference } from '../apply/difference.ts'
import { flatten } from './flatten.ts'
import { readSiteFile } from './read-site-file.ts'
import { fitsSchema } from '../../schemas/check-schema.ts'
import { YamlFileError } from '../../yaml/yaml-file-error.ts'
import { exampleText } from '../_sites.ts'

function flattenText(text: string) {
  const file = readSiteFile(text, 's.yaml')
  checkSite(file, [])
  return flatten(file)
}

test('the example becomes its entries in the order of the file', () => {
  const names = flattenText(exampleText).map(({ kind, id }) => `${kind} ${id}`)

  assert.deepEqual(names, [
    'user 1',
    'user 2',
    'project 7',
    'structureType 2',
    'structureType 3',
    'factor 15',
    'factor 17',
    'factor 33',
    'structure 3040',
    'group 11',
    'station 52093',
    'station 52094',
    'thresholdBatch 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11',
    'device 2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
    'device 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
    'camera 1',
    'structure 3041',
    'station 53001',
  ])
})

test('what is left out gets its default', () => {
  const entries = flattenText(`timeZone: UTC
structureTypes: [{ id: 2, name: 桥梁 }]
factors:
  - { id: 15, name: 应变, items: [{ id: 1, key: 应变, name: 应变, precision: 0.1 }] }
structures:
  - id: 1
    name: 长江大桥
    type: 2
    latitude: 30.5
    longitude: 114.3
    factors:
      - factor: 15
        groups: [{ id: 5, name: 跨中截面, params: { height: { name: 高度 } } }]
        stations: [{ id: 6, name: 应变-01 }]
    devices:
      - { id: 2D7E0C50-2F0E-4A3C-8F62-6A1E2F1F0001, name: 采集仪, kind: dtu }
    traffic: { loadUnit: t, axleLoadUnit: kg, names: { license: 车牌 } }
    cameras:
      - { id: 7, location: 东塔, serialNo: C1, type: 球机, source: "rtsp://192.0.2.1/1" }
`)

  assert.deepEqual(entries, [
    { kind: 'structureType', id: 2, name: '桥梁' },
    {
      kind: 'factor',
      id: 15,
      name: '应变',
      structureTypes: null,
      timeDivision: false,
      items: [{ id: 1, key: '应变', name: '应变', unit: '', precision: 0.1 }],
    },
    {
      kind: 'structure',
      id: 1,
      name: '长江大桥',
      type: 2,
      latitude: 30.5,
      longitude: 114.3,
      portrait: '',
      timeZone: 'UTC',
      projects: [],
      factors: [15],
      traffic: { loadUnit: 't', axleLoadUnit: 'kg', names: { license: '车牌' } },
    },
    {
      kind: 'group',
      id: 5,
      structure: 1,
      factor: 15,
      name: '跨中截面',
      typeId: '0',
      params: { height: { name: '高度', unit: '' } },
    },
    {
      kind: 'station',
      id: 6,
      structure: 1,
      factor: 15,
      group: null,
      name: '应变-01',
      portrait: '',
      labels: [],
      groupParams: {},
      multiParams: null,
      from: null,
    },
    {
      kind: 'device',
      id: '2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
      structure: 1,
      name: '采集仪',
      deviceKind: 'dtu',
      parent: null,
      intervalSeconds: null,
      items: [],
    },
    {
      kind: 'camera',
      id: 7,
      structure: 1,
      location: '东塔',
      serialNo: 'C1',
      channelNo: 1,
      hasPTZ: false,
      type: '球机',
      source: 'rtsp://192.0.2.1/1',
    },
  ])
})

test('interval texts are kept in their canonical form', () => {
  const written = exampleText.replace('(-,-300);(300,+)', '（300，∞）； (-inf, -300)')

  assert.deepEqual(flattenText(written), flattenText(exampleText))
})

/** A site of one station, whose factor has `items` and whose sensor sends `raw`. */
function stationOf(items: string[], raw: string[], from: string): StationEntry {
  const entries = flattenText(`timeZone: UTC
structureTypes: [{ id: 1, name: Bridge }]
factors:
  - id: 1
    name: Factor
    items: [${items.map((key, i) => `{ id: ${i + 1}, key: ${key}, name: N, precision: 1 }`)}]
structures:
  - id: 1
    name: S
    type: 1
    latitude: 1
    longitude: 1
    factors: [{ factor: 1, stations: [{ id: 1, name: A, from: ${from} }] }]
    devices:
      - id: ${SENSOR}
        name: Sensor
        kind: sensor
        items: [${raw.map((key) => `{ key: ${key}, name: N }`)}]
      - { id: ${OTHER}, name: Other, kind: node, items: [{ key: o, name: N }] }
`)
  return entries.find((entry) => entry.kind === 'station')!
}

const SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'
const OTHER = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02'

const RESOLVED: [name: string, items: string[], raw: string[], conversion: string, as: object][] = [
  [
    'the only item and the only raw value',
    ['x'],
    ['v'],
    '{ kind: linear, k: 2 }',
    { item: 'x', sensor: SENSOR, validFrom: null, value: 'v' },
  ],
  [
    "the raw value of the item's key",
    ['x'],
    ['v', 'x'],
    '{ kind: linear, k: 2 }',
    { item: 'x', sensor: SENSOR, validFrom: null, value: 'x' },
  ],
  [
    'the item of the raw key that is named',
    ['x', 'y'],
    ['x', 'y'],
    '{ kind: linear, k: 2, value: y }',
    { item: 'y', sensor: SENSOR, validFrom: null, value: 'y' },
  ],
  [
    'the item of the only raw key',
    ['x', 'y'],
    ['y'],
    '{ kind: linear, k: 2 }',
    { item: 'y', sensor: SENSOR, validFrom: null, value: 'y' },
  ],
  [
    'the sensor that is named, in capitals',
    ['x'],
    ['v', 'w'],
    `{ kind: linear, k: 2, sensor: ${OTHER.toUpperCase()}, validFrom: 2025-01-01 00:00:00 }`,
    { item: 'x', sensor: OTHER, validFrom: '2025-01-01 00:00:00', value: 'o' },
  ],
]

for (const [name, items, raw, conversion, as] of RESOLVED) {
  test(`a conversion takes ${name}`, () => {
    const from = `{ sensors: [${SENSOR}, ${OTHER}], conversion: ${conversion} }`

    const [resolved] = stationOf(items, raw, from).from!.conversions

    const { item, sensor, validFrom, parameters, inputs } = resolved!
    const { key } = inputs![0]!['value']!
    assert.deepEqual({ item, sensor, validFrom, value: key }, as)
    assert.deepEqual(inputs, [{ value: { sensor, key } }])
    assert.deepEqual(parameters, { k: 2 })
  })
}

const AMBIGUOUS: [
  name: string,
  items: string[],
  raw: string[],
  conversion: string,
  said: RegExp,
][] = [
  [
    'which of two items is meant',
    ['x', 'y'],
    ['v', 'w'],
    '{ kind: linear, k: 2 }',
    /conversion: item is missing: factor 1 has x, y/,
  ],
  [
    'which of two raw values is read',
    ['x'],
    ['v', 'w'],
    '{ kind: linear, k: 2 }',
    /conversion: value is missing: Sensor sends v, w/,
  ],
  [
    'which raw value a formula means, though there is only one',
    ['x'],
    ['v'],
    '{ kind: expression, formula: 2 * w }',
    /conversion: w is missing: Sensor sends v; expected one of them as a parameter of expression/,
  ],
  [
    'what a formula reads on the side that it seldom takes',
    ['x'],
    ['v'],
    '{ kind: expression, formula: "if(v > 0, v, w)" }',
    /conversion: w is missing: Sensor sends v/,
  ],
  [
    'which of its inputs the only raw value is',
    ['x'],
    ['v'],
    '{ kind: vibratingWireStrain, k: 2, f0: 1 }',
    /conversion: frequency is missing: Sensor sends v/,
  ],
  [
    'which of two conversions holds',
    ['x'],
    ['v'],
    '[{ kind: linear, k: 2 }, { kind: linear, k: 3 }]',
    /conversion\[1\]: x already has a conversion without validFrom/,
  ],
  [
    'which of two conversions applies from a time',
    ['x'],
    ['v'],
    '[{ kind: linear, k: 2, validFrom: 2025-01-01 00:00:00 },' +
      ' { kind: linear, k: 3, validFrom: 2025-01-01 00:00:00 }]',
    /conversion\[1\]: x already has a conversion from 2025-01-01 00:00:00/,
  ],
]

for (const [name, items, raw, conversion, said] of AMBIGUOUS) {
  test(`it is refused when it is not clear ${name}`, () => {
    const from = `{ sensors: [${SENSOR}], conversion: ${conversion} }`

    assert.throws(() => stationOf(items, raw, from), { name: 'YamlFileError', message: said })
  })
}

test('a parameter may name a raw value of another of the sensors', () => {
  const named = `${OTHER.toUpperCase()}/o`
  const from =
    `{ sensors: [${SENSOR}, ${OTHER}], alignSeconds: 2.5, ` +
    `conversion: { kind: expression, formula: v - other * k, k: 3, other: ${named} } }`

  const { alignSeconds, conversions } = stationOf(['x'], ['v', 'w'], from).from!

  assert.equal(alignSeconds, 2.5)
  assert.deepEqual(conversions, [
    {
      kind: 'expression',
      item: 'x',
      sensor: SENSOR,
      validFrom: null,
      parameters: { formula: 'v - other * k', k: 3 },
      inputs: [{ v: { sensor: SENSOR, key: 'v' }, other: { sensor: OTHER, key: 'o' } }],
    },
  ])
})

test('a combining conversion reads each of the sensors', () => {
  const conversion = '{ kind: linear, k: 2, combine: mean }'
  const from = `{ sensors: [${OTHER}, ${SENSOR}], conversion: ${conversion} }`

  const [resolved] = stationOf(['x'], ['v'], from).from!.conversions

  assert.deepEqual(resolved, {
    kind: 'linear',
    item: 'x',
    sensor: OTHER,
    validFrom: null,
    parameters: { k: 2 },
    inputs: [{ value: { sensor: OTHER, key: 'o' } }, { value: { sensor: SENSOR, key: 'v' } }],
    combine: 'mean',
  })
})

test('a sensor that a parameter names feeds every value, and is none of those combined', () => {
  const conversion =
    `{ kind: vibratingWireStrain, k: 2, f0: 1, kt: 1, t0: 1, ` +
    `temperature: ${OTHER}/o, combine: maximum }`
  const from = `{ sensors: [${OTHER}, ${SENSOR}], conversion: ${conversion} }`

  const [resolved] = stationOf(['x'], ['frequency'], from).from!.conversions

  assert.deepEqual(resolved?.inputs, [
    {
      frequency: { sensor: SENSOR, key: 'frequency' },
      temperature: { sensor: OTHER, key: 'o' },
    },
  ])
  assert.equal(resolved?.sensor, SENSOR)
})

const inputsOf = (more: string) => {
  const conversion = `{ kind: vibratingWireStrain, k: 2, f0: 1${more} }`
  const from = `{ sensors: [${SENSOR}], conversion: ${conversion} }`
  const station = stationOf(['x'], ['frequency', 'temperature'], from)
  return Object.keys(station.from!.conversions[0]!.inputs![0]!)
}

test('what a conversion can do without is read only when it is named', () => {
  assert.deepEqual(inputsOf(''), ['frequency'])
  assert.deepEqual(inputsOf(', temperature: temperature'), ['frequency', 'temperature'])
  assert.deepEqual(inputsOf(', kt: 1, t0: 2'), ['frequency', 'temperature'])
})

test('two items of one station may come from different sensors', () => {
  const conversion =
    `[{ kind: linear, k: 2, item: x, value: v },` +
    ` { kind: linear, k: 2, item: y, sensor: ${OTHER} }]`
  const from = `{ sensors: [${SENSOR}, ${OTHER}], conversion: ${conversion} }`

  const { conversions } = stationOf(['x', 'y'], ['v'], from).from!

  assert.deepEqual(
    conversions.map(({ item, sensor }) => [item, sensor]),
    [
      ['x', SENSOR],
      ['y', OTHER],
    ],
  )
})

test('a group keeps its conversion, defaults filled in', () => {
  const group = '            typeId: '
  const conversionOf = (conversion: string, params: string) => {
    const text = exampleText
      .replace(group, () => `            conversion: ${conversion}\n${group}`)
      .replace('params: { height: { name: Height, unit: m } }', `params: { ${params} }`)
      .replace('groupParams: { height: 3.5 }', 'groupParams: { depth: 3.5, isBase: true }')
      .replace('key: strain, name', 'key: settling, name')
      .replace(
        'precision: 0.1 }',
        'precision: 0.1 }\n      - { id: 152, key: s, name: S, precision: 1 }',
      )
      .replace(
        'kind: vibratingWireStrain',
        'kind: vibratingWireStrain\n                    item: settling',
      )
      .replace('item: strain', 'item: settling')
    return flattenText(text).find((entry) => entry.kind === 'group')?.conversion
  }

  assert.deepEqual(conversionOf('{ kind: settlement }', 'isBase: { name: B }'), {
    kind: 'settlement',
    item: 'settling',
    isBase: 'isBase',
  })
  const sums = '{ kind: inclinometer, fixedEnd: top, sums: { s: settling } }'
  assert.deepEqual(conversionOf(sums, 'depth: { name: D }'), {
    kind: 'inclinometer',
    depth: 'depth',
    fixedEnd: 'top',
    sums: { s: 'settling' },
  })
})

test('sensors without a conversion are kept: their raw values are shown with the station', () => {
  const station = stationOf(['x'], ['v', 'w'], `{ sensors: [${SENSOR}, ${OTHER}] }`)

  assert.deepEqual(station.from, { sensors: [SENSOR, OTHER], conversions: [] })
})

test('a mutated example is refused with a YamlFileError, or flattens to what it is', () => {
  const tree: unknown = parse(exampleText)
  const places = [...placesOf(tree)]
  const values = [...places.map(({ value }) => value), null, '', 'x', 0, 1, -1.5, [], {}, true]
  const mutation = fc.record({
    place: fc.nat(places.length - 1),
    value: fc.nat(values.length - 1),
    way: fc.constantFrom('replace', 'remove', 'add'),
  })
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const copy = structuredClone(tree)
      for (const { place, value, way } of mutations) {
        mutate(copy, places[place]!.path, way, structuredClone(values[value]))
      }
      const found: string[] = []
      fitsSchema(SiteFile, copy, (_path, message) => found.push(message))
      assert.equal(found.length === 0, Check(SiteFile, copy), found.join())

      const text = stringify(copy, { aliasDuplicateObjects: false })
      try {
        const entries = flattenText(text)
        const stored = JSON.parse(JSON.stringify(entries))
        assert.deepEqual(difference(stored, flattenText(text)), [])
      } catch (error) {
        if (!(error instanceof YamlFileError)) throw error
        assert.ok(error.problems.every(({ line }) => line !== null && line > 0))
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('a mutated text is refused with a YamlFileError, or read', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom(
      '\t',
      '\n',
      '- ',
      ': ',
      '*a',
      '&a ',
      '!',
      '|',
      '{',
      ']',
      "'",
      '%',
      '---\n',
      '?',
    ),
  )
  fc.assert(
    fc.property(fc.nat(exampleText.length), fc.nat(12), piece, (at, cut, text) => {
      try {
        flattenText(exampleText.slice(0, at) + text + exampleText.slice(at + cut))
      } catch (error) {
        if (!(error instanceof YamlFileError)) throw error
      }
    }),
    { numRuns: runs(1000) },
  )
})

type Keys = (string | number)[]

function* placesOf(value: unknown, path: Keys = []): Generator<{ path: Keys; value: unknown }> {
  if (path.length > 0) yield { path, value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield* placesOf(inner, [...path, Array.isArray(value) ? Number(key) : key])
  }
}

function mutate(tree: unknown, path: Keys, way: string, value: unknown): void {
  let parent = tree
  for (const key of path.slice(0, -1)) parent = member(parent, key)
  if (typeof parent !== 'object' || parent === null) return
  const key = path.at(-1)!
  if (way === 'add')
    Object.assign(parent, Array.isArray(parent) ? [...parent, value] : { x: value })
  else if (way === 'replace') Object.assign(parent, { [key]: value })
  else if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else Reflect.deleteProperty(parent, key)
}

function member(parent: unknown, key: string | number): unknown {
  return typeof parent === 'object' && parent !== null
    ? (parent as Record<string, unknown>)[key]
    : undefined
}
