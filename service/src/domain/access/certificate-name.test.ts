import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { parseCertificateName } from './certificate-name.ts'

test('host names and addresses are names of a certificate', () => {
  for (const [text, type, value] of [
    ['localhost', 'dns', 'localhost'],
    ['Gateway-7.Bridge.Example', 'dns', 'gateway-7.bridge.example'],
    ['*.bridge.example', 'dns', '*.bridge.example'],
    ['xn--brcke-kva.example', 'dns', 'xn--brcke-kva.example'],
    ['192.0.2.7', 'ip', '192.0.2.7'],
    ['2001:DB8::7', 'ip', '2001:db8::7'],
  ])
    assert.deepEqual(parseCertificateName(text ?? ''), { type, value })
})

test('other texts are not', () => {
  for (const text of [
    '',
    ' ',
    'a b',
    'brücke.example',
    'a..b',
    '.a',
    'a.',
    '-a.example',
    'a.*.example',
    '*',
    'https://bridge.example',
    'bridge.example:8443',
    '[::1]',
    'fe80::1%eth0',
    '1.2.3',
    '192.0.2.256',
    'a'.repeat(64),
    `${'a.'.repeat(130)}example`,
  ])
    assert.equal(parseCertificateName(text), undefined, text)
})

test('a parsed name is parsed to itself', () => {
  const part = fc.constantFrom('a', 'Z', '7', '-', '.', '*', ':', '%', 'xn--', 'é')
  const parts = fc.array(part, { maxLength: 12 }).map((list) => list.join(''))
  const text = fc.oneof(parts, fc.ipV4(), fc.ipV6(), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(text, (given) => {
      const name = parseCertificateName(given)
      if (name !== undefined) assert.deepEqual(parseCertificateName(name.value), name)
    }),
    { numRuns: runs(500) },
  )
})
