import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { MAX_FORMULA_DEPTH, MAX_FORMULA_LENGTH, readFormula } from './expression.ts'
import { RefusedError } from '../../errors/refused-error.ts'

/** The result of a formula with these values of its names. */
function resultOf(text: string, values: Record<string, number> = {}): number | undefined {
  const { names, evaluate } = readFormula(text)
  return evaluate(names.map((name) => (Object.hasOwn(values, name) ? values[name]! : NaN)))
}

function refusal(text: string): string {
  try {
    readFormula(text)
  } catch (error) {
    if (error instanceof RefusedError && error.reason === 'invalid') return error.message
    throw error
  }
  return 'accepted'
}

describe('a formula', () => {
  test('has the order of operations of a textbook', () => {
    const results: Record<string, number> = {
      '1 + 2 * 3': 7,
      '(1 + 2) * 3': 9,
      '8 - 3 - 2': 3,
      '8 / 4 / 2': 1,
      '8 / 4 * 2': 4,
      '2 ^ 3 ^ 2': 512,
      '-3 ^ 2': -9,
      '(-3) ^ 2': 9,
      '2 ^ -2': 0.25,
      '2 * -3': -6,
      '5 - -3': 8,
      '--5': 5,
      '-2 * 3': -6,
      '1e-3 * 1E3': 1,
      '.5 + 1. + 1.5e+1': 16.5,
      '1 + 1 < 3': 1,
      '2 * (1 < 2)': 2,
    }
    for (const [text, result] of Object.entries(results)) assert.equal(resultOf(text), result, text)
  })

  test('has functions', () => {
    const results: Record<string, number> = {
      'sin(pi / 2)': 1,
      'cos(0)': 1,
      'tan(0)': 0,
      'asin(1) * 2': Math.PI,
      'acos(1)': 0,
      'atan(1) * 4': Math.PI,
      'atan2(1, -1)': (3 * Math.PI) / 4,
      'sqrt(2.25)': 1.5,
      'abs(-2)': 2,
      'ln(exp(2))': 2,
      'log10(1000)': 3,
      'min(3, 1, 2)': 1,
      'max(3)': 3,
      'round(2.5) + round(-2.5) + round(0.4)': 0,
      'floor(-1.5)': -2,
      'ceil(-1.5)': -1,
      'pow(2, 10)': 1024,
      'hypot(3, 4)': 5,
      'hypot(2, 3, 6)': 7,
    }
    for (const [text, result] of Object.entries(results)) assert.equal(resultOf(text), result, text)
  })

  test('compares, and chooses one of two', () => {
    const rows: [text: string, x: number, result: number | undefined][] = [
      ['x < 2', 1, 1],
      ['x < 2', 2, 0],
      ['x <= 2', 2, 1],
      ['x > 2', 2, 0],
      ['x >= 2', 2, 1],
      ['x == 2', 2, 1],
      ['x != 2', 2, 0],
      ['if(x > 0, 10, 20)', 1, 10],
      ['if(x > 0, 10, 20)', -1, 20],
      ['if(x, 10, 20)', 0, 20],
      ['if(x > 0, sqrt(x), -sqrt(-x))', -4, -2],
      ['if(x > 0, x, y)', 3, 3],
      ['if(x > 0, x, y)', -3, undefined],
      ['if(y > 0, 1, 1)', 3, undefined],
      ['if(y != y, 1, 2)', 3, undefined],
    ]
    for (const [text, x, result] of rows) assert.equal(resultOf(text, { x }), result, text)
  })

  test('has the names of every script, and gives them in order, once', () => {
    const { names } = readFormula('频率_1 * (температура - t0) + 频率_1 * e + sin(é) * pi')

    assert.deepEqual(names, ['频率_1', 'температура', 't0', 'e', 'é'])
    assert.equal(resultOf('频率 ^ 2 - f0', { 频率: 3, f0: 2 }), 7)
  })

  test('knows nothing of JavaScript', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'globalThis', 'undefined']) {
      assert.deepEqual(readFormula(`${name} + 1`).names, [name])
      assert.equal(readFormula(`${name} + 1`).evaluate([]), undefined)
      assert.match(refusal(`${name}(1)`), new RegExp(`^character 1: there is no function ${name},`))
    }
  })

  test('gives nothing without a value that it needs', () => {
    for (const text of [
      'x ^ 0',
      'pow(x, 0)',
      '1 / hypot(1 / 0, x)',
      '0 * x',
      'min(1, x)',
      'x == x',
    ])
      assert.equal(resultOf(text), undefined, text)
  })

  test('gives nothing when the result is not finite', () => {
    for (const text of ['1 / 0', '0 / 0', 'sqrt(-1)', 'ln(0)', '1e300 * 1e300', 'asin(2)'])
      assert.equal(resultOf(text), undefined, text)
  })
})

const nest = (open: string, close: string, count: number) =>
  `${open.repeat(count)}1${close.repeat(count)}`

describe('a formula that is refused', () => {
  test('is told the character and what was expected there', () => {
    const sentences: Record<string, string> = {
      '': 'character 1: expected a number, a name or (, found the end',
      '1 +': 'character 4: expected a number, a name or (, found the end',
      '2 * * 3': 'character 5: expected a number, a name or (, found *',
      '+1': 'character 1: expected a number, a name or (, found +',
      '2 x': 'character 3: expected an operator or the end, found x',
      '2x': 'character 2: expected an operator or the end, found x',
      '1.2.3': 'character 4: expected an operator or the end, found .3',
      '(1 + 2': 'character 7: expected an operator or ), found the end',
      '1)': 'character 2: expected an operator or the end, found )',
      'sin 1': 'character 5: expected ( after the function sin, found 1',
      'sin()': 'character 5: expected a number, a name or (, found )',
      'sin(1, 2)': 'character 1: expected 1 argument of sin, found 2',
      '1 + atan2(1)': 'character 5: expected 2 arguments of atan2, found 1',
      'if(1, 2)': 'character 1: expected 3 arguments of if, found 2',
      'max(1 2)': 'character 7: expected an operator, a comma or ), found 2',
      'a = 1': 'character 3: expected == for a comparison, found "="',
      '1 < 2 < 3': 'character 7: expected one comparison, or parentheses around the first, found <',
      'a.b': 'character 2: expected a number, name or sign, found "."',
      '𝒳 + 频 ; 1': 'character 7: expected a number, name or sign, found ";"',
      '1e999': 'character 1: expected a number below 1.8e308, found 1e999',
      'x²': 'character 2: expected a number, name or sign, found "²"',
      '5 - wurzel(2)':
        'character 5: there is no function wurzel, expected one of if, sin, cos, tan, asin, ' +
        'acos, atan, atan2, sqrt, abs, ln, log10, exp, min, max, round, floor, ceil, pow, hypot',
    }
    for (const [text, sentence] of Object.entries(sentences)) assert.equal(refusal(text), sentence)
  })

  test('may be too long', () => {
    const sum = `1${'+1'.repeat(MAX_FORMULA_LENGTH / 2 - 1)}`

    assert.equal(resultOf(sum), MAX_FORMULA_LENGTH / 2)
    assert.match(
      refusal(`${sum}   `),
      /^character 1001: expected an end, a formula has at most 1000/,
    )
  })

  test('may be too deep, whatever makes it so', () => {
    const ways: [string, string][] = [
      ['(', ')'],
      ['-', ''],
      ['2^', ''],
      ['abs(', ')'],
      ['if(1,2,', ')'],
    ]
    for (const [open, close] of ways) {
      assert.equal(refusal(nest(open, close, MAX_FORMULA_DEPTH)), 'accepted', open)
      assert.match(
        refusal(nest(open, close, MAX_FORMULA_DEPTH + 1)),
        /^character \d+: expected at most 50 levels inside each other$/,
      )
    }
  })

  test('is refused by no other error, whatever the text', () => {
    const pieces =
      'sin if pi x 频 ( ) , + - * / ^ < == 1 . e 1e9 __proto__ constructor \u{1F600} \ud800 ='
    const piece = fc.constantFrom(' ', '\n', ...pieces.split(' '))
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(piece, { maxLength: 300 }).map((pieces) => pieces.join('')),
    )
    const property = fc.property(text, (text) => {
      const sentence = refusal(text)
      if (sentence === 'accepted') resultOf(text, { x: 1 })
      else assert.match(sentence, /^character [1-9]\d*: .*(expected)/su)
    })
    fc.assert(property, { numRuns: runs(3000) })
  })
})

/** A random formula, and what it gives, each computed by itself. */
type Tree = { text: string; level: number; value: number }

const Q = 2.5
const Y = -0.75

const LEVELS: Record<string, number> = { '+': 1, '-': 1, '*': 2, '/': 2, '^': 4 }
const OPERATORS: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => (Number.isNaN(a) ? NaN : Math.pow(a, b)),
}
const ONE: Record<string, (a: number) => number> = {
  sin: Math.sin,
  abs: Math.abs,
  ln: Math.log,
  exp: Math.exp,
  floor: Math.floor,
}

const within = ({ text, level }: Tree, least: number): string =>
  level >= least ? text : `(${text})`

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<Tree>(
      { text: 'q', level: 5, value: Q },
      { text: '名', level: 5, value: Y },
      { text: 'pi', level: 5, value: Math.PI },
    ),
    fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => ({
      text: String(value),
      level: 5,
      value,
    })),
    tie('tree').map((inner) => ({
      text: `-${within(inner, 3)}`,
      level: 3,
      value: -inner.value,
    })),
    fc
      .tuple(fc.constantFrom(...Object.keys(OPERATORS)), tie('tree'), tie('tree'))
      .map(([sign, left, right]) => {
        const level = LEVELS[sign]!
        const isPower = sign === '^'
        return {
          text: `${within(left, isPower ? 5 : level)} ${sign} ${within(right, isPower ? 3 : level + 1)}`,
          level,
          value: OPERATORS[sign]!(left.value, right.value),
        }
      }),
    fc.tuple(fc.constantFrom(...Object.keys(ONE)), tie('tree')).map(([name, inner]) => ({
      text: `${name}(${inner.text})`,
      level: 5,
      value: ONE[name]!(inner.value),
    })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 4 }).map((all) => ({
      text: `max(${all.map(({ text }) => text).join(',')})`,
      level: 5,
      value: all.reduce((most, { value }) => Math.max(most, value), -Infinity),
    })),
    fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => ({
      text: `if(${a.text} < ${b.text}, ${b.text}, ${c.text})`,
      level: 5,
      value:
        Number.isNaN(a.value) || Number.isNaN(b.value)
          ? NaN
          : a.value < b.value
            ? b.value
            : c.value,
    })),
  ),
}))

const readable = tree.filter(({ text }) => text.length <= MAX_FORMULA_LENGTH)

test('a random formula gives what its tree gives', () => {
  const property = fc.property(readable, ({ text, value }) => {
    const expected = Number.isFinite(value) ? value : undefined
    assert.deepEqual(resultOf(text, { q: Q, 名: Y }), expected, text)
  })
  fc.assert(property, { numRuns: runs(3000) })
})

test('a random formula without a choice gives nothing when a name of it has no value', () => {
  const plain = readable.filter(({ text }) => text.includes('q') && !text.includes('if'))
  const property = fc.property(plain, ({ text }) => {
    assert.equal(resultOf(text, { 名: Y }), undefined, text)
  })
  fc.assert(property, { numRuns: runs(500) })
})
