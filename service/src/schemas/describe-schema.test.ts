import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type, type TSchema } from 'typebox'
import { describeSchema } from './describe-schema.ts'
import { asNode } from './schema-node.ts'

const EXPECTED: readonly [schema: TSchema, words: string][] = [
  [Type.Integer({ minimum: 1, maximum: 1000 }), 'a whole number from 1 to 1000'],
  [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), 'a whole number of at least 0'],
  [Type.Number({ exclusiveMinimum: 0 }), 'a number above 0'],
  [Type.Number({ exclusiveMinimum: 0, maximum: 9 }), 'a number above 0 and at most 9'],
  [
    Type.Number({ minimum: 0, maximum: 3600, unit: 'seconds' }),
    'a number of seconds from 0 to 3600',
  ],
  [Type.String(), 'text'],
  [Type.String({ minLength: 1 }), 'text that is not empty'],
  [Type.String({ maxLength: 64 }), 'text of at most 64 characters'],
  [Type.String({ minLength: 12, maxLength: 256 }), 'text of 12 to 256 characters'],
  [Type.String({ pattern: '^a', title: 'a word in a' }), 'a word in a'],
  [Type.String({ format: 'uuid' }), 'a uuid'],
  [Type.Boolean(), 'true or false'],
  [Type.Literal('waveform'), '"waveform"'],
  [Type.Enum(['on', 'off']), 'one of on, off'],
  [Type.Union([Type.Literal(4), Type.Literal(5)]), 'one of 4, 5'],
  [
    Type.Union([Type.Literal('all'), Type.Array(Type.Integer())]),
    '"all" or a list, each a whole number',
  ],
  [Type.Array(Type.Object({}), { minItems: 1 }), 'a list of at least one'],
  [Type.Array(Type.Integer(), { maxItems: 9 }), 'a list of at most 9, each a whole number'],
  [Type.Object({}), 'an object'],
  [Type.Null(), 'null'],
]

for (const [schema, words] of EXPECTED)
  test(`a schema accepts ${words}`, () => assert.equal(describeSchema(asNode(schema)), words))

test('an object is a mapping where the reader writes YAML', () => {
  assert.equal(describeSchema({ type: 'object' }, 'yaml'), 'a mapping (`key: value`)')
})
