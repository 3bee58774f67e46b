import { describe, test } from 'node:test'
import { listAlarms } from '@plumbline/contract'
import { assertLinear } from '../../test/_growth.ts'
import { acceptsGzip } from './responses/accepts-gzip.ts'
import { readStationIds } from './requests/list-texts.ts'
import { partReader } from './requests/validation.ts'

const many = (size: number, value: string): string[] => Array.from({ length: size }, () => value)

describe('parts of a request are parsed in linear time', () => {
  test('encodings', () =>
    assertLinear(
      {
        commas: (size) => ','.repeat(size),
        semicolons: (size) => `*${';'.repeat(size)}`,
        blanks: (size) => `${' '.repeat(size)}x`,
        weights: (size) => `*;q=${'0'.repeat(size)}x`,
      },
      acceptsGzip,
    ))

  test('lists of stations', () =>
    assertLinear(
      {
        commas: (size) => ','.repeat(size),
        'one station': (size) => '1,'.repeat(size),
        'many stations': (size) => Array.from({ length: size }, (_, at) => at).join(),
        digits: (size) => `${'1'.repeat(size)}x`,
        blanks: (size) => `${' '.repeat(size)}1${' '.repeat(size)}x`,
      },
      (text) => readStationIds(text, Infinity),
    ))

  test('parameters', () => {
    const read = partReader(listAlarms.schema.querystring, 'querystring')
    assertLinear<Record<string, unknown>>(
      {
        'digits and a letter': (size) => ({ limit: `${'0'.repeat(size)}x` }),
        'a date of digits': (size) => ({ startTime: '0'.repeat(size) }),
        'a repeated parameter': (size) => ({ limit: many(size, '1') }),
        'invalid levels': (size) => ({ levels: 'x,'.repeat(size) }),
        'levels in brackets': (size) => ({ levels: `${']'.repeat(size)}${' '.repeat(size)}x` }),
        'repeated levels': (size) => ({ levels: many(size, '[1]') }),
        'unknown parameters': (size) =>
          Object.fromEntries(Array.from({ length: size }, (_, at) => [`x${at}`, ''])),
      },
      read,
    )
  })

  test('members of a body', () => {
    const read = partReader(listAlarms.schema.body, 'body')
    assertLinear<Record<string, unknown>>(
      {
        'a list that is too long': (size) => ({ levels: Array.from({ length: size }, () => 1) }),
        'a list of objects': (size) => ({ levels: Array.from({ length: size }, () => ({})) }),
        'unknown members': (size) =>
          Object.fromEntries(Array.from({ length: size }, (_, at) => [`x${at}`, null])),
      },
      read,
    )
  })
})
