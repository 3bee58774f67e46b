import { test } from 'node:test'
import { assertLinear } from '../../../test/_growth.ts'
import { parseAddressTemplate } from './address-template.ts'

test('address templates are parsed in linear time', () =>
  assertLinear(
    {
      braces: (size) => 'https://m.example/{camera}'.padEnd(size, '{'),
      'a placeholder without an end': (size) => `https://m.example/{${'a'.repeat(size)}`,
      'an unknown placeholder': (size) => `https://m.example/{${'a'.repeat(size)}}`,
      placeholders: (size) => `https://m.example/${'{camera}'.repeat(size)}`,
      hosts: (size) => `https://${'a.'.repeat(size)}`,
      schemes: (size) => 'a+'.repeat(size),
    },
    parseAddressTemplate,
  ))
