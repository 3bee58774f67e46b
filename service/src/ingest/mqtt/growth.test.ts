import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertLinear, assertLinearInSlices } from '../../../test/_growth.ts'
import { parseJsonPath } from './json-path.ts'
import { compileMapping } from './payload-mapping.ts'
import { parseTopicPattern } from './topic-pattern.ts'

const LIMITS = { depth: 32, members: 3_000_000 }

const numbered = (size: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, at]))

const payload = (message: unknown): Uint8Array => Buffer.from(JSON.stringify(message))

describe('messages that are made to be hard to read', () => {
  const settings = { topic: 'site/{sensor}', sensor: '{sensor}' }
  const whole = compileMapping({ ...settings, records: '$.records', values: '$.values' }, LIMITS)
  const own = compileMapping({ ...settings, records: '$[*][*]', values: '@' }, LIMITS)
  const single = compileMapping({ ...settings, key: 'temperature', value: '@' }, LIMITS)
  const read = (mapping: typeof whole) => async (bytes: Uint8Array) =>
    mapping.read({ topic: 'site/a', payload: bytes, receivedAt: 0 })

  test('cost no more than their length where all records have the values of the message', async () => {
    await assertLinearInSlices(
      {
        'many values': (size) => payload({ values: numbered(size), records: Array(size).fill(0) }),
      },
      read(whole),
      { size: 100 },
    )
  })

  test('cost no more than their length', async () => {
    await assertLinearInSlices(
      {
        'lists of lists': (size) =>
          payload([Array.from({ length: size }, () => ({ a: 1 })), Array(size).fill(0)]),
        openers: (size) => Buffer.from('['.repeat(size)),
        'digits and a letter': (size) => payload([[{ a: `${'0'.repeat(size)}x` }]]),
      },
      read(own),
    )
    await assertLinearInSlices(
      { 'digits and a letter': (size) => Buffer.from(`${'0'.repeat(size)}x`) },
      read(single),
    )
  })

  test('hold at most 100000 records', async () => {
    assert.deepEqual(await read(single)(payload(Array(100_001).fill(1))), {
      problem: 'the message holds 100001 records, expected at most 100000',
    })
  })

  test('a topic costs no more than its length', () => {
    const pattern = parseTopicPattern('a/+/{b}/#')
    assertLinear(
      {
        slashes: (size) => '/'.repeat(size),
        levels: (size) => 'a/'.repeat(size),
        'one level': (size) => 'a'.repeat(size),
      },
      (topic) => pattern.match(topic),
    )
  })

  test('a pattern or a path of the settings costs no more than its length', () => {
    assertLinear(
      {
        'named levels': (size) => Array.from({ length: size }, (_, at) => `{a${at}}`).join('/'),
        slashes: (size) => '/'.repeat(size),
        openers: (size) => '{'.repeat(size),
      },
      parseTopicPattern,
      { size: 1_000 },
    )
    assertLinear(
      {
        steps: (size) => `$${'.a'.repeat(size)}`,
        'an open quote': (size) => `$['${'a'.repeat(size)}`,
        backslashes: (size) => `$['${'\\'.repeat(size)}']`,
        digits: (size) => `$[${'1'.repeat(size)}`,
      },
      parseJsonPath,
    )
  })
})

const ofSensor = (size: number, sensor: unknown) =>
  payload({ sensor, records: Array(size).fill(0) })

describe('a message whose records all name a value of the whole message', () => {
  const mapping = compileMapping(
    {
      topic: 'site',
      records: '$.records',
      sensor: '$.sensor',
      values: '@',
    },
    { depth: 32, members: 3_000_000 },
  )
  test('costs no more than its length', async () => {
    await assertLinearInSlices(
      {
        'a list for a sensor': (size) => ofSensor(size, Array(size).fill(0)),
        'an object for a sensor': (size) =>
          ofSensor(
            size,
            Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, 0])),
          ),
      },
      async (bytes) => mapping.read({ topic: 'site', payload: bytes, receivedAt: 0 }),
      { size: 1_000 },
    )
  })
})
