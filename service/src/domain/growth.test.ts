import { describe, test } from 'node:test'
import { assertLinear, type HostileInputs } from '../../test/_growth.ts'
import { parseBasicCredentials } from './access/basic-credentials.ts'
import { MAX_FORMULA_LENGTH, readFormula } from './derivation/expression.ts'
import { parseInstant, zone } from './time/local-time.ts'
import { readToken } from './access/token.ts'

const UTC = zone('UTC')

describe('texts that are made to be hard to read cost no more than their length', () => {
  const headers: HostileInputs<string> = {
    blanks: (size) => `Basic${' '.repeat(size)}`,
    'blanks and a sign': (size) => `${' '.repeat(size)}Basic ${' '.repeat(size)}:`,
    padding: (size) => `Basic ${'='.repeat(size)}x`,
    'letters and a sign': (size) => `Basic ${'a'.repeat(size)}:`,
    'percent signs': (size) => `Basic ${Buffer.from(`${'%'.repeat(size)}:`).toString('base64')}`,
    bearers: (size) => 'Bearer '.repeat(size),
  }
  test('credentials', () => assertLinear(headers, parseBasicCredentials))
  test('tokens of a header', () => assertLinear(headers, (text) => readToken(undefined, text)))
  test('tokens of a query', () =>
    assertLinear(
      {
        'many tokens': (size) => Array.from({ length: size }, (_, at) => `t${at}`),
        'one token again and again': (size) => Array.from({ length: size }, () => 't'),
      },
      (tokens) => readToken(tokens, undefined),
    ))

  test('instants', () =>
    assertLinear(
      {
        'digits of a fraction': (size) => `2026-01-01T00:00:00.${'0'.repeat(size)}x`,
        digits: (size) => '0'.repeat(size),
        blanks: (size) => `2026-01-01${' '.repeat(size)}`,
      },
      (text) => parseInstant(text, UTC),
      { size: 20_000 },
    ))

  test('formulas, of which a longer one is refused unread', () =>
    assertLinear(
      {
        openers: (size) => '('.repeat(size),
        signs: (size) => '-'.repeat(size),
        digits: (size) => `${'1'.repeat(size)}x`,
        names: (size) => `${'a'.repeat(size)}(`,
        blanks: (size) => `${' '.repeat(size)}1`,
        arguments: (size) => `min(${'1,'.repeat(size / 2)}`,
      },
      readFormula,
      { size: MAX_FORMULA_LENGTH / 8 - 1 },
    ))
})
