import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')

/** The colours of a rule of `tokens.css`, as hexadecimal digits. */
function coloursOf(selector: string): Map<string, string> {
  const [, rule = ''] = css.split(`${selector} {`)
  const found = rule.split('\n}')[0]?.matchAll(/--([\w-]+): #([0-9a-f]{6});/g) ?? []
  return new Map(Array.from(found, ([, name = '', digits = '']) => [name, digits]))
}

/** Relative luminance, WCAG 2.2. */
function luminance(digits: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4]
    .map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, WCAG 2.2: from 1 to 21. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const LEVELS = [1, 2, 3, 4, 5].map((level) => `level-${level}`)
const SERIES = [1, 2, 3, 4, 5, 6, 7, 8].map((series) => `series-${series}`)
const STATES = ['danger', 'warning', 'good']

/** Colours with those on which they stand, and the least contrast. */
const PAIRS: readonly { of: readonly string[]; on: readonly string[]; least: number }[] = [
  { of: ['text', 'text-quiet'], on: ['ground', 'surface', 'sunken'], least: 4.5 },
  { of: ['text', 'accent'], on: ['accent-soft'], least: 4.5 },
  { of: ['text'], on: ['warning-soft', 'danger-soft'], least: 4.5 },
  { of: ['accent', ...STATES, ...LEVELS], on: ['surface', 'ground'], least: 4.5 },
  { of: ['accent-text'], on: ['accent'], least: 4.5 },
  { of: ['danger'], on: ['danger-soft'], least: 4.5 },
  { of: ['warning'], on: ['warning-soft'], least: 4.5 },
  { of: [...SERIES, 'line-strong'], on: ['surface'], least: 3 },
]

for (const selector of [':root', ":root[data-theme='dark']"])
  describe(`the colours of ${selector}`, () => {
    const colours = coloursOf(selector)
    for (const { of, on, least } of PAIRS)
      test(`${of.join(', ')} on ${on.join(', ')}`, () => {
        for (const name of of)
          for (const ground of on) {
            const [front, back] = [colours.get(name), colours.get(ground)]
            assert.ok(front !== undefined && back !== undefined, `${name} on ${ground}`)
            const found = contrast(front, back)
            assert.ok(found >= least, `${name} on ${ground}: ${found.toFixed(2)}`)
          }
      })
  })
