import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { writeYaml } from './write-yaml.ts'
import { readYaml } from './yaml-text.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((one) => one.toWellFormed().replaceAll('\0', '')),
  fc.constantFrom('yes', 'null', '~', '12', '1e3', '0x1f', '.inf', '2025-01-01 08:00:00', ''),
  fc.constantFrom('a: b', '- a', '# a', ' a ', 'a\n', '\n\na', "it's", '%', '&a', '*a', '!a', '|'),
  fc.constantFrom('[', '}', ',', '---', '...', 'a #b', '\u2028', '\t', '\r\n', '\u0085', '\ufeff'),
)

const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Object.is(one, -0)),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('node')),
    fc.array(fc.tuple(text, tie('node'))).map(Object.fromEntries),
  ),
})).node

test('a value reads as it was written', () => {
  fc.assert(
    fc.property(value, (given) => {
      const written = writeYaml({ given })

      const { value: read, problems } = readYaml(written)

      assert.deepEqual([read, problems], [{ given }, []], written)
    }),
    { numRuns: runs(5000) },
  )
})

test('short mappings and lists of scalars take one line', () => {
  const site = { users: [{ id: 1, name: 'Office', structures: [3, 4] }], zone: 'UTC' }

  assert.equal(
    writeYaml(site),
    'users:\n  - { id: 1, name: Office, structures: [ 3, 4 ] }\nzone: UTC\n',
  )
})
