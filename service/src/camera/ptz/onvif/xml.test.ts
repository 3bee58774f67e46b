import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { OnvifError } from './onvif-error.ts'
import { childrenNamed, escapeXml, textAt, XmlReader, type XmlElement } from './xml.ts'

function read(...portions: string[]): XmlElement {
  const reader = new XmlReader()
  for (const portion of portions) reader.push(portion)
  return reader.end()
}

describe('XML of a camera', () => {
  test('is read without prefixes, in portions of any size', () => {
    const xml =
      '<?xml version="1.0"?><a:A xmlns:a="n"><b:B b:c="1&amp;2">x<![CDATA[<y>]]></b:B><B/></a:A>'
    fc.assert(
      fc.property(fc.array(fc.nat(xml.length), { maxLength: 5 }), (cuts) => {
        const ends = [...cuts.toSorted((one, other) => one - other), xml.length]
        const root = read(...ends.map((end, at) => xml.slice(ends[at - 1] ?? 0, end)))

        assert.equal(root.name, 'A')
        assert.equal(textAt(root, 'B'), 'x<y>')
        assert.deepEqual(
          childrenNamed(root, 'B').map(({ attributes }) => attributes.get('c')),
          ['1&2', undefined],
        )
      }),
      { numRuns: runs(500) },
    )
  })

  test('has any text back that was written into it', () => {
    const characters = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(characters, (text) => {
        const written = escapeXml(text)
        const kept = [...text.toWellFormed()].filter(
          (one) => !/[^\t\n\r\u{20}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(one),
        )

        assert.equal(read(`<a>${written}</a>`).text, kept.join(''))
        assert.doesNotMatch(written, /[<>"']/)
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('of any shape is read or refused by an OnvifError', () => {
    const part = fc.constantFrom(
      '<a>',
      '</a>',
      '<',
      '>',
      '&lt;',
      '&x;',
      '<!DOCTYPE a>',
      '<!--',
      '-->',
      '"',
      'a=',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        try {
          assert.equal(typeof read(...parts).name, 'string')
        } catch (error) {
          assert.ok(error instanceof OnvifError, String(error))
        }
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('with a document type, or with endless elements, is refused', () => {
    for (const [xml, message] of [
      ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'answers with XML with a document type'],
      [`<a>${'<b/>'.repeat(20_001)}</a>`, 'answers with too many elements'],
      ['<a>'.repeat(65), 'answers with too many elements'],
      ['<a>', 'answers with no XML'],
      ['', 'answers with no XML'],
    ] as const)
      assert.throws(() => read(xml), { name: 'OnvifError', failure: 'malformed', message })
  })
})
