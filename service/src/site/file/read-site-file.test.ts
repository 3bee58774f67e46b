import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteFile } from '@plumbline/contract/site'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { runs } from '../../../test/_random.ts'
import { readSiteFile } from './read-site-file.ts'
import { fitsSchema } from '../../schemas/check-schema.ts'
import { YamlFileError } from '../../yaml/yaml-file-error.ts'
import { exampleText } from '../_sites.ts'

test('the example is read as it was written', () => {
  const { file } = readSiteFile(exampleText, 'site.example.yaml')

  assert.equal(file.timeZone, 'Asia/Shanghai')
  assert.equal(file.structures?.[0]?.factors?.[0]?.groups?.[0]?.stations?.[0]?.id, 52093)
})

test('a site in any language is read as it was written', () => {
  const { file } = readSiteFile(
    'projects:\n  - { id: 1, name: 过江通道 }\nstructureTypes:\n  - { id: 2, name: "桥梁 🌉" }\n',
    '站点.yaml',
  )

  assert.deepEqual(file, {
    projects: [{ id: 1, name: '过江通道' }],
    structureTypes: [{ id: 2, name: '桥梁 🌉' }],
  })
})

const user = (rest: string) => `users:\n  - { id: 1, name: A, structures: all }\n  - ${rest}\n`
const camera = (rest: string) =>
  `structures:\n  - id: 1\n    name: A\n    type: 2\n    latitude: 1\n    longitude: 1\n` +
  `    cameras:\n      - { id: 1, location: A, serialNo: B, type: C, ${rest} }\n`

const structure = (terms: string) =>
  `structures:\n  - id: 1\n    name: A\n    type: 2\n    latitude: 1\n    longitude: 1\n` +
  `    retention: { ${terms} }\n`

const WRONG: [name: string, text: string, message: string][] = [
  ['an empty file', '# nothing\n', 's.yaml:1: the file is empty'],
  ['a list', '- 1\n', 's.yaml:1: expected a mapping (`key: value`), found a list'],
  [
    'an unknown key near a known one',
    'projects: []\ntimezone: UTC\n',
    's.yaml:2: timezone: there is no such key (did you mean timeZone?)',
  ],
  [
    'an unknown key near none',
    'projects:\n  - id: 1\n    name: A\n    colour: red\n',
    's.yaml:4: projects[0].colour: there is no such key, expected one of id, name',
  ],
  [
    'a repeated key',
    'projects: []\nusers: []\nprojects: []\n',
    's.yaml:3: the key "projects" is on line 1 already',
  ],
  [
    'a missing member',
    user('{ id: 2, structures: all }'),
    's.yaml:3: users[1]: name is missing: expected text that is not empty',
  ],
  [
    'an id that is a text',
    user('{ id: "2", name: B, structures: all }'),
    's.yaml:3: users[1].id: expected a whole number from 1 to 2147483647, found "2"; ' +
      'write it without quotes',
  ],
  [
    'an id beyond 32 bits',
    user('{ id: 2147483648, name: B, structures: all }'),
    's.yaml:3: users[1].id: expected a whole number from 1 to 2147483647, found 2147483648',
  ],
  [
    'a name that YAML takes for a number',
    user('{ id: 2, name: 12, structures: all }'),
    's.yaml:3: users[1].name: expected text that is not empty, found 12; ' +
      'put it in quotes to make it a text',
  ],
  [
    'a value that fits no branch',
    user('{ id: 2, name: B, structures: al }'),
    's.yaml:3: users[1].structures: expected "all" or a list, each a whole number from 1 to 2147483647, found "al" (did you mean all?)',
  ],
  [
    'an element of a branch',
    user('{ id: 2, name: B, structures: [1, two] }'),
    's.yaml:3: users[1].structures[1]: expected a whole number from 1 to 2147483647, found "two"',
  ],
  [
    'an id listed twice',
    user('{ id: 2, name: B, structures: [4, 5, 4] }'),
    's.yaml:3: users[1].structures[2]: 4 is listed a second time',
  ],
  [
    'the item key time',
    'factors:\n  - id: 1\n    name: A\n    items:\n' +
      '      - { id: 1, key: time, name: T, precision: 1 }\n',
    's.yaml:5: factors[0].items[0].key: expected a key of 1 to 64 characters other than `time`, ' +
      'which is a record\'s own member, found "time"',
  ],
  [
    'a number that is none',
    'factors:\n  - id: 1\n    name: A\n    items:\n' +
      '      - { id: 1, key: a, name: T, precision: .nan }\n',
    's.yaml:5: factors[0].items[0].precision: expected a number above 0, found NaN',
  ],
  [
    'a latitude beyond the pole',
    camera('source: "rtsp://h/1"').replace('latitude: 1', 'latitude: 91'),
    's.yaml:5: structures[0].latitude: expected a number from -90 to 90, found 91',
  ],
  [
    'a boolean of YAML 1.1',
    camera('source: "rtsp://h/1", hasPTZ: yes'),
    's.yaml:8: structures[0].cameras[0].hasPTZ: expected true or false, found "yes"',
  ],
  [
    'a camera source without a scheme, unseen',
    camera('source: "admin:secret@h"'),
    's.yaml:8: structures[0].cameras[0].source: expected an address such as ' +
      'rtsp://192.0.2.10/stream1, found something else',
  ],
  [
    'a term of no known unit',
    structure('theme: 10y, raw: 6m'),
    's.yaml:7: structures[0].retention.raw: expected a term in days, weeks, months or years ' +
      'such as 90d, 12w, 6mo or 10y, found "6m"',
  ],
  [
    'a term without a unit',
    structure('theme: 90'),
    's.yaml:7: structures[0].retention.theme: expected a term in days, weeks, months or years ' +
      'such as 90d, 12w, 6mo or 10y, found 90',
  ],
  [
    'a term of nothing',
    structure('traffic: 0d'),
    's.yaml:7: structures[0].retention.traffic: expected a term in days, weeks, months or years ' +
      'such as 90d, 12w, 6mo or 10y, found "0d"',
  ],
  [
    'a term of a kind that is none',
    structure('themes: 1y'),
    's.yaml:7: structures[0].retention.themes: there is no such key (did you mean theme?)',
  ],
  [
    'a second document',
    'projects: []\n---\nprojects: []\n',
    's.yaml:2: the file is one document: `---` must not begin a second one',
  ],
  [
    'a tag',
    'projects: !!set { a }\n',
    's.yaml:1: tags (`!...`) have no meaning here; put the text in quotes',
  ],
  ['an alias of nothing', 'projects: *p\n', 's.yaml:1: *p refers to nothing above'],
  [
    'an alias within itself',
    'projects: &p\n  - *p\n',
    's.yaml:2: *p is inside the part that it refers to',
  ],
  [
    'a NUL character',
    'projects:\n  - { id: 1, name: "a\\0b" }\n',
    's.yaml:2: projects[0].name: the text contains a NUL character or half of a surrogate pair',
  ],
]

for (const [name, text, message] of WRONG) {
  test(`${name} is refused at its line`, () => {
    assert.throws(() => readSiteFile(text, 's.yaml'), { name: 'YamlFileError', message })
  })
}

test('text that is no YAML is refused without a word of it', () => {
  const text = camera('source: "rtsp://admin:secret@h/1').slice(0, -3)

  const error = refusalOf(text)

  assert.match(error.message, /^s\.yaml:\d+: this is not YAML: /)
  assert.doesNotMatch(error.message, /secret/)
})

test('an error has all problems, and its message the first twenty in the order of the file', () => {
  const text = `projects:\n${'  - { id: 0, name: "" }\n'.repeat(15)}timezone: UTC\n`

  const { message, problems, reason } = refusalOf(text)

  assert.equal(reason, 'invalid')
  assert.equal(problems.length, 31)
  assert.deepEqual(problems[30]?.path, 'timezone')
  assert.equal(message.split('\n').length, 21)
  assert.ok(message.endsWith('\nand 11 more'))
})

test('aliases are followed, a bomb of them is refused', () => {
  const { file: shared } = readSiteFile(
    'projects: &p\n  - { id: 1, name: A }\nstructureTypes: *p\n',
    's.yaml',
  )
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (const [to, from] of ['ba', 'cb', 'dc', 'ed', 'fe']) {
    bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(', ')}]`)
  }

  assert.deepEqual(shared.structureTypes, [{ id: 1, name: 'A' }])
  assert.match(refusalOf(bomb.join('\n')).message, /repeats itself too often/)
  assert.match(refusalOf(`a: ${'['.repeat(100_000)}`).message, /nested too deeply|not YAML/)
})

test('a value passes exactly when the schema takes it', () => {
  const leaf = fc.oneof(
    fc.integer({ min: -1, max: 3 }),
    fc.constantFrom('all', 'time', '', 'A', 'UTC', '22:00:00', null, true, 0.5, 2 ** 31),
  )
  const words =
    'timeZone users projects structureTypes factors structures id name items key unit precision ' +
    'type latitude longitude groups stations from sensors conversion kind params traffic __proto__'
  const keys = fc.constantFrom(...words.split(' '))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const found: string[] = []
      fitsSchema(SiteFile, value, (_path, message) => found.push(message))
      assert.equal(found.length === 0, Check(SiteFile, value))
    }),
    { numRuns: runs(500) },
  )
})

function refusalOf(text: string): YamlFileError {
  try {
    readSiteFile(text, 's.yaml')
  } catch (error) {
    if (error instanceof YamlFileError) return error
    throw error
  }
  throw new Error('the text was read')
}
