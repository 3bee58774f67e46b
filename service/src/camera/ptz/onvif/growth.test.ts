import { describe, test } from 'node:test'
import { assertLinear } from '../../../../test/_growth.ts'
import { parseChallenges } from './http-digest.ts'
import { XmlReader } from './xml.ts'

describe('what a camera sends is read in linear time', () => {
  test('XML', () =>
    assertLinear(
      {
        'names of namespaces': (size) => `<a ${'xmlns'.repeat(size)}`,
        attributes: (size) =>
          `<a ${Array.from({ length: size }, (_, at) => `b${at}=""`).join(' ')}/>`,
        elements: (size) => `<a>${'<b/>'.repeat(Math.min(size, 15_000))}</a>`,
        'open elements': (size) => '<a>'.repeat(size),
        'entities in text': (size) => `<a>${'&amp;'.repeat(size)}</a>`,
        'an entity without an end': (size) => `<a>&${'a'.repeat(size)}`,
        'a comment without an end': (size) => `<a><!--${'-'.repeat(size)}`,
        'a document type': (size) => `<!DOCTYPE a [${'<!ENTITY b "c">'.repeat(size)}]><a/>`,
        'character data': (size) => `<a>${'<![CDATA[x]]>'.repeat(size)}</a>`,
        blanks: (size) => `<a>${' '.repeat(size)}</a>`,
      },
      (text) => {
        const reader = new XmlReader()
        reader.push(text)
        return reader.end()
      },
    ))

  test('challenges', () =>
    assertLinear(
      {
        'a token without an end': (size) => 'a'.repeat(size),
        'quotes without an end': (size) => 'a="'.repeat(size),
        backslashes: (size) => `Digest a="${'\\'.repeat(size)}`,
        blanks: (size) => `Digest${' '.repeat(size)}=`,
        commas: (size) => `Digest ${','.repeat(size)}`,
        parameters: (size) => `Digest ${'a=b,'.repeat(size)}`,
        schemes: (size) => 'Digest '.repeat(size),
      },
      (header) => parseChallenges([header]),
    ))
})
