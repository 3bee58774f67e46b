import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { check, exampleWith, F1, lineOf, refusalOf } from './_examples.ts'

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

/** The example with a source of the station that has none. */
const withSource = (text: string): string =>
  text.replace(
    /(id: 52099, name: N,)/,
    `$1 from: { sensors: [${/sensors: \[?([0-9a-f-]{36})/.exec(text)?.[1]}] },`,
  )

const SUMS = '{ kind: inclinometer, fixedEnd: bottom, sums: { strainTotal: strain } }'
const LEVELS = '{ kind: settlement, item: strain }'

test('groups with an inclinometer or a levelling line are accepted', () => {
  for (const text of [
    groupedExample(SUMS, '{ depth: 1 }', '{ depth: 2.5 }'),
    groupedExample(LEVELS, '{ isBase: true }', '{}'),
    groupedExample(LEVELS, '{ isBase: 0 }', '{ isBase: 1 }'),
  ])
    assert.deepEqual(check(withSource(text)), [])
})

test('a station without "from" in a group with a conversion is noted', () => {
  const text = groupedExample(LEVELS, '{ isBase: true }', '{}')

  const [note, ...others] = check(text)

  assert.deepEqual(others, [])
  assert.deepEqual(note, {
    path: `${F1}.groups[0].conversion`,
    line: lineOf(text, 'conversion: { kind: settlement'),
    message:
      'station 52099 has no "from", so the conversion computes nothing of the values that arrive there: give "from", or leave the conversion out',
  })
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
