import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StationEntry } from '../../domain/site/site-entry.ts'
import { flattenText } from '../file/_flatten.ts'

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

test('sensors without a conversion are kept: their raw values are shown with the station', () => {
  const station = stationOf(['x'], ['v', 'w'], `{ sensors: [${SENSOR}, ${OTHER}] }`)

  assert.deepEqual(station.from, { sensors: [SENSOR, OTHER], conversions: [] })
})
