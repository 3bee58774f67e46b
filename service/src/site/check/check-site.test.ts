import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { checkSite } from './check-site.ts'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { YamlFileError } from '../../yaml/yaml-file-error.ts'
import { exampleText } from '../_sites.ts'

const check = (text: string, stored: readonly SiteEntry[] = []) =>
  checkSite(readSiteFile(text, 's.yaml'), stored)

/** The example with a text in it replaced, which occurs once. */
function exampleWith(original: string, replacement: string): string {
  assert.equal(exampleText.split(original).length, 2, `${original} occurs once in the example`)
  return exampleText.replace(original, () => replacement)
}

/** The line of the first occurrence of a part of a text. */
function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split('\n').length
}

const F1 = 'structures[0].factors[0]'
const GROUPED = `${F1}.groups[0].stations[0]`
const BATCH = `${F1}.thresholds[0]`

/** The problem is in the line of `mark`, or else in the line where the replacement begins. */
type Wrong = [
  name: string,
  original: string,
  replacement: string,
  at: string,
  message: string,
  mark?: string,
]

const WRONG: Wrong[] = [
  [
    'a repeated user id',
    'id: 2, name: Pit contractor',
    'id: 1, name: Pit contractor',
    'users[1].id',
    'user 1 already exists at users[0]',
  ],
  [
    'a user of an unknown structure',
    'structures: [3041]',
    'structures: [3041, 9]',
    'users[1].structures[1]',
    'there is no structure 9',
  ],
  [
    'a repeated structure type id',
    'id: 3, name: Foundation pit',
    'id: 2, name: Foundation pit',
    'structureTypes[1].id',
    'structure type 2 already exists at structureTypes[0]',
  ],
  [
    'a factor for an unknown structure type',
    'structureTypes: [2]',
    'structureTypes: [2, 8]',
    'factors[0].structureTypes[1]',
    'there is no structure type 8',
  ],
  [
    'an item id in two factors',
    'id: 171, key',
    'id: 151, key',
    'factors[1].items[0].id',
    'item 151 already exists at factors[0].items[0]',
    'id: 151, key: waterLevel',
  ],
  [
    'a repeated item key of a factor',
    'key: ppv',
    'key: pv',
    'factors[2].items[1].key',
    'item key pv exists already',
    'id: 332',
  ],
  [
    'a repeated structure id',
    'id: 3041\n',
    'id: 3040\n',
    'structures[1].id',
    'structure 3040 already exists at structures[0]',
    '- id: 3040\n    name: Station pit',
  ],
  [
    'an unknown structure type',
    'type: 3\n',
    'type: 4\n',
    'structures[1].type',
    'there is no structure type 4',
  ],
  [
    'an unknown project',
    'projects: [7]',
    'projects: [8]',
    'structures[0].projects[0]',
    'there is no project 8',
  ],
  [
    'an unknown time zone of a structure',
    'name: Station pit\n',
    'name: Station pit\n    timeZone: Asia/Atlantis\n',
    'structures[1].timeZone',
    'Asia/Atlantis',
    'timeZone: Asia/Atlantis',
  ],
  [
    'an unknown factor',
    'factor: 17\n',
    'factor: 99\n',
    'structures[1].factors[0].factor',
    'factor 99 is not in the catalogue',
  ],
  [
    'a factor of another structure type',
    'factor: 17\n',
    'factor: 15\n',
    'structures[1].factors[0].factor',
    'factor 15 is not meant for structure type 3',
    'factor: 15\n        stations:\n          - { id: 53001',
  ],
  [
    'a repeated station id',
    'id: 52094, name',
    'id: 52093, name',
    `${F1}.stations[0].id`,
    `station 52093 already exists at ${GROUPED}`,
  ],
  [
    'a sensor that is not there',
    'sensors: [6f1c1f9e',
    'sensors: [7f1c1f9e',
    `${GROUPED}.from.sensors[0]`,
    'structure 3040 has no device 7f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
  ],
  [
    'a DTU in place of a sensor',
    'sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01]',
    'sensors: [2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001]',
    `${GROUPED}.from.sensors[0]`,
    'DTU-1 is a dtu, expected a sensor or node',
  ],
  [
    'an unknown kind of conversion',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrian',
    `${GROUPED}.from.conversion.kind`,
    'vibratingWireStrain',
  ],
  [
    'a day that does not exist',
    'validFrom: 2025-01-01 00:00:00',
    'validFrom: 2025-02-30 00:00:00',
    `${GROUPED}.from.conversion.validFrom`,
    'there is no day 2025-02-30',
  ],
  [
    'a conversion to an item of another factor',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    item: stress',
    `${GROUPED}.from.conversion.item`,
    'factor 15 has no item stress, expected strain',
    'item: stress',
  ],
  [
    'a conversion that reads another sensor',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    sensor: 2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
    `${GROUPED}.from.conversion.sensor`,
    'is not one of the sensors of this station',
    'sensor: 2d7e',
  ],
  [
    'a raw value that the sensor does not send',
    'key: frequency, name: Frequency',
    'key: freq, name: Frequency',
    `${GROUPED}.from.conversion`,
    'frequency',
    'conversion:\n',
  ],
  [
    'a formula with a slip in it',
    'kind: vibratingWireStrain',
    'kind: expression\n                    formula: k * (frequency^2 - f0^2',
    `${GROUPED}.from.conversion.formula`,
    'parameter formula of expression: character 24: expected an operator or ), found the end',
    'formula:',
  ],
  [
    'a name of a formula that nobody sends',
    'kind: vibratingWireStrain',
    'kind: expression\n                    formula: k * (frequncy^2 - f0^2) + kt * t0',
    `${GROUPED}.from.conversion`,
    'frequncy is missing: VW-01 sends frequency, temperature; expected one of them as a parameter',
    'conversion:\n',
  ],
  [
    'a parameter that a formula does not use',
    'kind: vibratingWireStrain',
    'kind: expression\n                    formula: k * (frequency^2 - fo^2) + kt * t0',
    `${GROUPED}.from.conversion.f0`,
    'expression has no parameter "f0", known are formula, k, frequency, fo, kt, t0 (did you mean fo?)',
    'f0: 1580.2',
  ],
  [
    'a parameter with a slip in its name',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    sgn: minus',
    `${GROUPED}.from.conversion.sgn`,
    'frequency, temperature (did you mean sign?)',
    'sgn: minus',
  ],
  [
    'a text that is not one of those there are',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    sign: mins',
    `${GROUPED}.from.conversion.sign`,
    'expected one of plus, minus',
    'sign: mins',
  ],
  [
    'an absurd parameter',
    'kind: vibratingWireStrain',
    'kind: cableForce\n                    length: 0',
    `${GROUPED}.from.conversion`,
    'cableForce needs parameter unit: N or kN',
    'conversion:\n',
  ],
  [
    'a raw key with a slip in it',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    temperature: temprature',
    `${GROUPED}.from.conversion.temperature`,
    'VW-01 sends no temprature (did you mean temperature?)',
    'temprature',
  ],
  [
    'a raw value of a sensor that is not one of the station',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    temperature: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02/t',
    `${GROUPED}.from.conversion.temperature`,
    '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02 is not one of the sensors of this station ' +
      '(did you mean 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01?)',
    'temperature: 6f1c',
  ],
  [
    'a raw key with a slip in it, of a named sensor',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    temperature: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01/temp',
    `${GROUPED}.from.conversion.temperature`,
    'VW-01 sends no temp, expected one of frequency, temperature',
    'temperature: 6f1c',
  ],
  [
    'an unknown way to combine',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    combine: meen',
    `${GROUPED}.from.conversion.combine`,
    'expected one of mean, maximum, minimum, sum, found "meen" (did you mean mean?)',
    'combine: meen',
  ],
  [
    'a sensor beside combine',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    combine: mean\n                    sensor: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
    `${GROUPED}.from.conversion.sensor`,
    'combine: mean reads every sensor of the station, expected no sensor here',
    'sensor: 6f1c',
  ],
  [
    'combine with no sensor left for it',
    'kind: vibratingWireStrain',
    'kind: vibratingWireStrain\n                    combine: mean\n                    temperature: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01/temperature',
    `${GROUPED}.from.conversion.combine`,
    'every sensor of the station is named by a parameter, and none is left to combine',
    'combine: mean',
  ],
  [
    'values that belong together over a time below 0',
    'sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01]',
    'sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01]\n                  alignSeconds: -1',
    `${GROUPED}.from.alignSeconds`,
    'expected a number of at least 0, found -1',
    'alignSeconds: -1',
  ],
  [
    'thresholds of a station of another factor',
    'stations: [52093, 52094]',
    'stations: [52093, 53001]',
    `${BATCH}.stations[1]`,
    'station 53001 is not one of this structure and factor',
  ],
  [
    'thresholds of an unknown item',
    'item: strain',
    'item: stress',
    `${BATCH}.items[0].item`,
    'factor 15 has no item stress, expected strain',
  ],
  [
    'time division where the factor allows none',
    'timeDivision: false\n                config',
    'timeDivision: true\n                config',
    `${BATCH}.items[0].timeDivision`,
    'factor 15 allows no time division',
  ],
  [
    'an interval whose ends are swapped',
    '(-300,-200);(200,300)',
    '(-200,-300)',
    `${BATCH}.items[0].config[0].thresholds[1].value`,
    '(-200,-300)',
  ],
  [
    'a repeated device id in capitals',
    'id: 2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
    'id: 6F1C1F9E-7C0E-4D0E-9D7A-0C5F6C3B1A01',
    'structures[0].devices[1].id',
    'device 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01 already exists at structures[0].devices[0]',
    'id: 6f1c1f9e',
  ],
  [
    'a parent that is not there',
    'parent: 2d7e0c50',
    'parent: 3d7e0c50',
    'structures[0].devices[1].parent',
    'structure 3040 has no device 3d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
  ],
  [
    'a device that is its own parent',
    'name: DTU-1, kind: dtu',
    'name: DTU-1, kind: dtu, parent: 2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
    'structures[0].devices[0].parent',
    'a dtu cannot report through a dtu (DTU-1)',
  ],
  [
    'a repeated raw key',
    'key: temperature',
    'key: frequency',
    'structures[0].devices[1].items[1].key',
    'item key frequency exists already',
    'key: frequency, name: Temperature',
  ],
]

for (const [name, original, replacement, at, message, mark = replacement] of WRONG) {
  test(`${name} is refused at its line`, () => {
    const text = exampleWith(original, replacement)

    const { problems } = refusalOf(text)

    const list = problems.map(({ path, line, message }) => `${path} ${line} ${message}`).join('\n')
    const problem = problems.find(({ path }) => path === at)
    assert.ok(problem, list)
    assert.ok(problem.message.includes(message), list)
    assert.equal(problem.line, lineOf(text, mark), list)
  })
}

test('the example has no problems and no notes', () => {
  assert.deepEqual(check(exampleText), [])
})

test('an unknown factor is refused with its line and path', () => {
  const text = exampleWith('factor: 17\n', 'factor: 99\n')

  assert.equal(
    refusalOf(text).message,
    `s.yaml:${lineOf(text, 'factor: 99')}: structures[1].factors[0].factor: ` +
      'factor 99 is not in the catalogue',
  )
})

test('a structure without any time zone is refused', () => {
  const text = exampleWith('timeZone: Asia/Shanghai\n', '')

  assert.match(refusalOf(text).message, /structures\[0\]: timeZone is missing/)
})

test('one camera channel is one camera', () => {
  const text = exampleWith(
    '    cameras:\n',
    '    cameras:\n' +
      '      - { id: 2, location: A, serialNo: C30411203, type: dome, source: "rtsp://h/1" }\n',
  )

  assert.match(
    refusalOf(text).message,
    /cameras\[1\]\.serialNo: channel 1 of camera "C30411203" already exists at .*cameras\[0\]/,
  )
})

test('two batches cannot set thresholds of one station and item', () => {
  const start = exampleText.indexOf('          - batchNo')
  const batch = exampleText.slice(start, exampleText.indexOf('    devices:\n'))
  const text = exampleWith(batch, batch + batch.replace('0d8a2f4e', '1d8a2f4e'))

  assert.match(
    refusalOf(text).message,
    /thresholds\[1\]\.stations\[0\]: station 52093 has thresholds of strain in batch 0d8a2f4e-/,
  )
})

test('a file may refer to the catalogue of an earlier one', () => {
  const stored = flatten(readSiteFile(exampleText, 'earlier.yaml'))
  const text = `
users: [{ id: 3, name: C, structures: [3041, 3042] }]
structures:
  - { id: 3042, name: C, type: 2, timeZone: UTC, latitude: 1, longitude: 1, projects: [7],
      factors: [{ factor: 15, stations: [{ id: 1, name: S }] }] }
`

  assert.deepEqual(check(text, stored), [])
})

test('what belongs to a structure of another file cannot be taken', () => {
  const stored = flatten(readSiteFile(exampleText, 'earlier.yaml'))
  const text = `timeZone: UTC
structures:
  - id: 3042
    name: C
    type: 2
    latitude: 1
    longitude: 1
    factors:
      - factor: 15
        groups: [{ id: 11, name: G }]
        stations:
          - { id: 52093, name: S }
    cameras:
      - { id: 9, location: A, serialNo: C30411203, type: dome, source: "rtsp://h/1" }
`

  assert.deepEqual(refusalOf(text, stored).message.split('\n'), [
    's.yaml:10: structures[0].factors[0].groups[0].id: group 11 already belongs to structure 3040',
    's.yaml:12: structures[0].factors[0].stations[0].id: ' +
      'station 52093 already belongs to structure 3040',
    's.yaml:14: structures[0].cameras[0].serialNo: ' +
      'channel 1 of camera "C30411203" already belongs to structure 3040',
  ])
})

test('a factor keeps what structures of other files use of it', () => {
  const stored = flatten(readSiteFile(exampleText, 'earlier.yaml'))
  const text = `factors:
  - id: 15
    name: Strain
    structureTypes: [3]
    items: [{ id: 152, key: stress, name: Stress, precision: 0.1 }]
  - { id: 99, name: Mine, items: [{ id: 171, key: a, name: A, precision: 1 }] }
`

  const { message } = refusalOf(text, stored)

  assert.match(message, /s\.yaml:2: factors\[0\]: structure 3040, which is not in this file/)
  assert.match(message, /item strain is missing and still used by station 52093/)
  assert.match(message, /item strain is missing and still used by threshold batch 0d8a2f4e/)
  assert.match(message, /s\.yaml:6: factors\[1\]\.items\[0\]\.id: item 171 already belongs to fac/)
})

test('a parameter that the group does not define is noted', () => {
  const text = exampleWith('groupParams: { height: 3.5 }', 'groupParams: { depth: 3.5 }')

  assert.deepEqual(check(text), [
    {
      path: `${GROUPED}.groupParams.depth`,
      line: lineOf(text, 'depth'),
      message: 'station 52093 is in group 11, which does not define it',
    },
  ])
})

test('a raw value that another sensor of the station sends is named', () => {
  const text = exampleWith(
    'sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01]',
    'sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01, 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a09]',
  ).replace(
    '    traffic:',
    '      - { id: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a09, name: T-09, kind: sensor, ' +
      'items: [{ key: air, name: Air }] }\n    traffic:',
  )
  const hint = 'T-09 sends it: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a09/air'

  const named = text.replace('t0: 19.5', 't0: 19.5\n                    temperature: air')
  const unnamed = text.replace(
    /kind: vibratingWireStrain[^]*?t0: 19.5/,
    'kind: expression\n                    formula: frequency - air',
  )

  assert.ok(refusalOf(named).message.includes(`VW-01 sends no air; ${hint}`))
  assert.ok(refusalOf(unnamed).message.includes(`as a parameter of expression; ${hint}`))
})

const CHAIN_PARAMS = 'params: { depth: { name: Depth, unit: m }, isBase: { name: Base } }'

/** The example with a group of two stations, their parameters and a conversion. */
function groupedExample(conversion: string, first: string, second: string): string {
  return exampleWith(
    'params: { height: { name: Height, unit: m } }',
    `${CHAIN_PARAMS}\n            conversion: ${conversion}`,
  )
    .replace('groupParams: { height: 3.5 }', `groupParams: ${first}`)
    .replace(
      '            stations:\n              - id: 52093',
      `            stations:\n              - { id: 52099, name: N, groupParams: ${second} }\n              - id: 52093`,
    )
    .replace(
      "key: strain, name: Strain, unit: 'µε', precision: 0.1 }",
      "key: strain, name: Strain, unit: 'µε', precision: 0.1 }\n" +
        '      - { id: 152, key: strainTotal, name: Sum, precision: 0.1 }',
    )
    .replace(
      'kind: vibratingWireStrain',
      'kind: vibratingWireStrain\n                    item: strain',
    )
}

const SUMS = '{ kind: inclinometer, fixedEnd: bottom, sums: { strainTotal: strain } }'
const LEVELS = '{ kind: settlement, item: strain }'

test('groups with an inclinometer or a levelling line are accepted', () => {
  assert.deepEqual(check(groupedExample(SUMS, '{ depth: 1 }', '{ depth: 2.5 }')), [])
  assert.deepEqual(check(groupedExample(LEVELS, '{ isBase: true }', '{}')), [])
  assert.deepEqual(check(groupedExample(LEVELS, '{ isBase: 0 }', '{ isBase: 1 }')), [])
})

const GROUP = `${F1}.groups[0]`
const FIRST = `${GROUP}.stations[1].groupParams`
const SECOND = `${GROUP}.stations[0].groupParams`

const WRONG_GROUPS: [name: string, group: [string, string, string], at: string, message: string][] =
  [
    [
      'a chain whose depth is not defined',
      [SUMS.replace('fixedEnd', 'depth: dept, fixedEnd'), '{ dept: 1 }', '{ dept: 2 }'],
      `${GROUP}.conversion.depth`,
      'group 11 defines no parameter dept (did you mean depth?)',
    ],
    [
      'a station of a chain without a depth',
      [SUMS, '{ depth: 1 }', '{}'],
      `${SECOND}.depth`,
      'station 52099 has no depth, expected a number',
    ],
    [
      'a depth that is a text',
      [SUMS, "{ depth: '1' }", '{ depth: 1 }'],
      `${FIRST}.depth`,
      'station 52093 has no depth, expected a number',
    ],
    [
      'two stations of a chain at one depth',
      [SUMS, '{ depth: 1 }', '{ depth: 1.0 }'],
      `${FIRST}.depth`,
      'station 52093 has the depth of station 52099, expected its own',
    ],
    [
      'a sum of an unknown item',
      [SUMS.replace(': strain }', ': strin }'), '{ depth: 1 }', '{ depth: 2 }'],
      `${GROUP}.conversion.sums.strainTotal`,
      'factor 15 has no item strin (did you mean strain?)',
    ],
    [
      'a sum that is no item',
      [SUMS.replace('strainTotal', 'strainTotel'), '{ depth: 1 }', '{ depth: 2 }'],
      `${GROUP}.conversion.sums.strainTotel`,
      'factor 15 has no item strainTotel (did you mean strainTotal?)',
    ],
    [
      'a sum of itself',
      [SUMS.replace(': strain }', ': strainTotal }'), '{ depth: 1 }', '{ depth: 2 }'],
      `${GROUP}.conversion.sums.strainTotal`,
      'strainTotal is a sum itself, expected an item of the segments',
    ],
    [
      'no sum at all',
      [SUMS.replace('strainTotal: strain', ''), '{ depth: 1 }', '{ depth: 2 }'],
      `${GROUP}.conversion.sums`,
      'expected at least one sum',
    ],
    [
      'a sum that a conversion computes as well',
      [
        '{ kind: inclinometer, fixedEnd: top, sums: { strain: strainTotal } }',
        '{ depth: 1 }',
        '{ depth: 2 }',
      ],
      `${GROUP}.stations[1].from.conversion`,
      'station 52093 has strain as a sum of group 11 already',
    ],
    [
      'an end that is neither bottom nor top',
      [SUMS.replace('bottom', 'botom'), '{ depth: 1 }', '{ depth: 2 }'],
      `${GROUP}.conversion.fixedEnd`,
      'expected one of bottom, top, found "botom" (did you mean bottom?)',
    ],
    [
      'an unknown conversion of a group',
      ['{ kind: setlement }', '{ depth: 1 }', '{ depth: 2 }'],
      `${GROUP}.conversion.kind`,
      'expected one of inclinometer, settlement, found "setlement" (did you mean settlement?)',
    ],
    [
      'a conversion of a group without a kind',
      ['{ item: strain }', '{ depth: 1 }', '{ depth: 2 }'],
      `${GROUP}.conversion`,
      'kind is missing: expected one of inclinometer, settlement',
    ],
    [
      'a levelling line of an unknown item',
      ['{ kind: settlement }', '{ isBase: true }', '{}'],
      `${GROUP}.conversion.item`,
      'factor 15 has no item settling, expected one of strain, strainTotal',
    ],
    [
      'a levelling line whose base is not defined',
      [LEVELS.replace('}', ', isBase: base }'), '{ base: true }', '{}'],
      `${GROUP}.conversion.isBase`,
      'group 11 defines no parameter base',
    ],
    [
      'a levelling line without a base point',
      [LEVELS, '{ isBase: false }', '{}'],
      `${GROUP}.conversion`,
      'group 11 has no base point, expected one station with isBase: true',
    ],
    [
      'two base points',
      [LEVELS, '{ isBase: true }', '{ isBase: true }'],
      `${FIRST}.isBase`,
      'station 52099 is the base point of group 11 already',
    ],
    [
      'a base point that is a text',
      [LEVELS, '{ isBase: true }', '{ isBase: no }'],
      `${SECOND}.isBase`,
      'expected true or false, found "no"',
    ],
  ]

for (const [name, group, at, message] of WRONG_GROUPS) {
  test(`${name} is refused`, () => {
    const { problems } = refusalOf(groupedExample(...group))

    const list = problems.map(({ path, line, message }) => `${path} ${line} ${message}`).join('\n')
    assert.ok(
      problems.some((one) => one.path === at && one.line !== null && one.message.includes(message)),
      list,
    )
  })
}

test('a factor keeps the items that groups of other files compute with', () => {
  const text = groupedExample(SUMS, '{ depth: 1 }', '{ depth: 2 }')
  const stored = flatten(readSiteFile(text, 'earlier.yaml'))

  const { message } = refusalOf(
    'factors: [{ id: 15, name: S, items: [{ id: 151, key: strain, name: S, precision: 1 }] }]',
    stored,
  )

  assert.match(message, /item strainTotal is missing and still used by group 11 of a structure/)
})

function refusalOf(text: string, stored: readonly SiteEntry[] = []): YamlFileError {
  try {
    check(text, stored)
  } catch (error) {
    if (error instanceof YamlFileError) return error
    throw error
  }
  throw new Error('the file was accepted')
}
