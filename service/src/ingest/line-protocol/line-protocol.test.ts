import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../test/_growth.ts'
import { parseLineProtocol, type ProtocolLine } from './line-protocol.ts'
import type { Point } from './point-scanner.ts'

type Field = number | boolean | string
type Written = { point: Point; kinds: readonly ('float' | 'integer' | 'unsigned')[] }

const escape = (name: string, characters: string): string =>
  Array.from(name, (one) => (characters.includes(one) ? `\\${one}` : one)).join('')

/** Writes a point by the rules of the reference, and not by those of the parser. */
function write({ point: { measurement, tags, fields, timestamp }, kinds }: Written): string {
  const tagText = Array.from(
    tags,
    ([key, value]) => `,${escape(key, ', =')}=${escape(value, ', =')}`,
  )
  const fieldText = Array.from(fields, ([key, value]) => [escape(key, ', ='), value] as const).map(
    ([key, value], at) => `${key}=${writeValue(value, kinds[at % kinds.length]!)}`,
  )
  const time = timestamp === undefined ? '' : ` ${timestamp}`
  return `${escape(measurement, ', ')}${tagText.join('')} ${fieldText.join(',')}${time}`
}

function writeValue(value: Field, kind: Written['kinds'][number]): string {
  if (typeof value === 'boolean') return value ? 'True' : 'f'
  if (typeof value === 'string') return `"${escape(value, '"\\')}"`
  if (!Number.isInteger(value) || Object.is(value, -0) || Math.abs(value) > 1e15)
    return String(value)
  if (kind === 'integer') return `${value}i`
  return kind === 'unsigned' && value >= 0 ? `${value}u` : String(value)
}

/** Backslashes are left out: before a character that is escaped they cannot be written. */
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((text) => text.replaceAll(/[\n\r\t\\#]/g, '_'))
const odd = fc.oneof(name, fc.constantFrom('a b', 'a,b', 'a=b', '__proto__', '温度'))
const value: fc.Arbitrary<Field> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a "quoted" one', 'back\\slash', 'two\nlines', 'ends with \\'),
)
const plain = { noNullPrototype: true }
const written: fc.Arbitrary<Written> = fc.record(
  {
    point: fc.record(
      {
        // An equals sign in a measurement is itself.
        measurement: odd.filter((one) => !/^["#]/.test(one)),
        tags: fc.array(fc.tuple(odd, odd), { maxLength: 3 }).map((pairs) => new Map(pairs)),
        fields: fc
          .array(fc.tuple(odd, value), { minLength: 1, maxLength: 4 })
          .map((pairs) => new Map(pairs)),
        timestamp: fc.option(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), { nil: undefined }),
      },
      plain,
    ),
    kinds: fc.array(fc.constantFrom('float', 'integer', 'unsigned'), { minLength: 1 }),
  },
  plain,
)

const pointOf = (line: ProtocolLine): Point => {
  assert.ok('point' in line, 'problem' in line ? line.problem : '')
  return line.point
}

describe('parseLineProtocol', () => {
  test('reads every point that an independent writer writes, between comments and blank lines', () => {
    const noise = fc.constantFrom('', '\n', '# a comment, with="all"\n', '  \r\n', '\n\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(noise, written, fc.constantFrom('\n', '\r\n'))), (parts) => {
        const text = parts.map(([before, one, end]) => before + write(one) + end).join('')

        const lines = parseLineProtocol(text)

        assert.deepEqual(
          lines.map(pointOf),
          parts.map(([, { point }]) => point),
        )
        for (const { line, text: own } of lines)
          assert.ok(
            text
              .split('\n')
              .slice(line - 1)
              .join('\n')
              .startsWith(own),
          )
      }),
    )
  })

  test('reads the examples of the reference', () => {
    const [first, second, third] = parseLineProtocol(
      [
        'measurementName,tagKey=tagValue fieldKey="fieldValue" 1465839830100400200',
        String.raw`my\ Measurement,tag\ Key1=tag\ Value1 field="Launch \"rocket\"" 1556813561098000000`,
        'm,a=1 f=1.0,i=-3i,u=7u,t=t,F=FALSE',
      ].join('\n'),
    ).map(pointOf)

    assert.deepEqual(first, {
      measurement: 'measurementName',
      tags: new Map([['tagKey', 'tagValue']]),
      fields: new Map([['fieldKey', 'fieldValue']]),
      timestamp: 1_465_839_830_100_400_200n,
    })
    assert.equal(second?.measurement, 'my Measurement')
    assert.deepEqual([...(second?.tags ?? [])], [['tag Key1', 'tag Value1']])
    assert.deepEqual([...(second?.fields ?? [])], [['field', 'Launch "rocket"']])
    assert.deepEqual(Object.fromEntries(third?.fields ?? []), {
      f: 1,
      i: -3,
      u: 7,
      t: true,
      F: false,
    })
    assert.equal(third?.timestamp, undefined)
  })

  test('a backslash before anything else is itself', () => {
    const [point] = parseLineProtocol(String.raw`C:\dir,a\b=c\d e\f="g\h"`).map(pointOf)

    assert.equal(point?.measurement, String.raw`C:\dir`)
    assert.deepEqual([...(point?.tags ?? [])], [[String.raw`a\b`, String.raw`c\d`]])
    assert.deepEqual([...(point?.fields ?? [])], [[String.raw`e\f`, String.raw`g\h`]])
  })

  test('a wrong line is named with its number and position, and the others are read', () => {
    for (const [wrong, position, expected] of [
      ['m', 2, 'a space and then the fields'],
      ['m ', 3, 'a field key'],
      [',a=b f=1', 1, 'a measurement'],
      ['m,a f=1', 4, '"="'],
      ['m,=b f=1', 3, 'a tag key'],
      ['m,a= f=1', 5, 'a tag value'],
      ['m,a=b=c f=1', 6, 'a space and then the fields'],
      ['m f', 4, '"="'],
      ['m f=', 5, 'a number'],
      ['m f=abc', 5, 'a number'],
      ['m f=NaN', 5, 'a number'],
      ['m f=1.5i', 5, 'a number'],
      ['m f=-1u', 5, 'a number'],
      ['m f=9223372036854775808i', 5, 'a number'],
      ['m f=1,', 7, 'a field key'],
      ['m f="a"b', 8, '"," or a blank'],
      ['m f=1 12a', 7, 'a timestamp'],
      ['m f=1 9223372036854775808', 7, 'a timestamp'],
      ['m f=1 1 2', 9, 'the end of the line'],
    ] as const) {
      const lines = parseLineProtocol(`# first\nm f=1 1\n${wrong}\r\nm f=2 2`)

      assert.deepEqual(
        lines.map((one) => ('point' in one ? one.line : [one.line, one.text.trimEnd()])),
        [2, [3, wrong.trimEnd()], 4],
        wrong,
      )
      const { problem } = lines[1] as { problem: string }
      assert.ok(
        problem.startsWith(`position ${position}: expected ${expected}`),
        `${wrong}: ${problem}`,
      )
    }
  })

  test('a text without a closing quote makes its own line fail, and no other', () => {
    const lines = parseLineProtocol('m f="open 1\nm f=1 1')

    assert.deepEqual(
      lines.map((one) => [one.line, 'point' in one]),
      [
        [1, false],
        [2, true],
      ],
    )
  })

  test('reads at most the given number of lines, and never throws', () => {
    assert.equal(parseLineProtocol('m f=1\n'.repeat(10), 3).length, 3)
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'m,= "\\\n\r#1i') }), (text) => {
        for (const one of parseLineProtocol(text))
          assert.ok('point' in one || one.problem.length > 0)
      }),
    )
  })
})

describe('lines that are made to be hard to read', () => {
  test('cost no more than their length', () => {
    assertLinear(
      {
        'digits and a letter': (size) => `m a=${'0'.repeat(size)}x`,
        'a long name': (size) => `${'m'.repeat(size)} a=1`,
        'escapes in a name': (size) => `${'\\,'.repeat(size)} a=1`,
        'backslashes in a name': (size) => `${'\\'.repeat(size)} a=1`,
        'an open quote': (size) => `m a="${'x'.repeat(size)}`,
        'open quotes in every line': (size) => 'm a="x\n'.repeat(size),
        'a closed quote over many lines': (size) => `m a="${'\n'.repeat(size)}"`,
        'escapes in a text': (size) => `m a="${'\\"'.repeat(size)}"`,
        tags: (size) => `m${',a=1'.repeat(size)} a=1`,
        'tags of many names': (size) =>
          `m${Array.from({ length: size }, (_, at) => `,t${at}=1`).join('')} a=1`,
        fields: (size) => `m ${'a=1,'.repeat(size)}a=1`,
        commas: (size) => `m${','.repeat(size)}`,
        blanks: (size) => `m${' '.repeat(size)}a=1${' '.repeat(size)}x`,
        'blank lines': (size) => '\n'.repeat(size),
        'carriage returns': (size) => `m a=1${'\r'.repeat(size)}`,
        comments: (size) => '#\n'.repeat(size),
        'digits of a timestamp': (size) => `m a=1 ${'1'.repeat(size)}`,
      },
      (text) => parseLineProtocol(text),
    )
  })

  test('a point has at most 4000 tags and fields', () => {
    const points = [
      `m${Array.from({ length: 4_001 }, (_, at) => `,t${at}=1`).join('')} a=1`,
      `m ${Array.from({ length: 4_001 }, (_, at) => `f${at}=1`).join()}`,
    ]

    for (const line of parseLineProtocol(points.join('\n')))
      assert.match(
        'problem' in line ? line.problem : '',
        /: expected at most 4000 tags and fields$/,
      )
  })
})
