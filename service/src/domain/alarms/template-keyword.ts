import { LEADS, SLOT } from './content-template.ts'

/** Where a keyword can occur in contents, given their templates and numbers in lower case. */
export type TemplateKeyword = Readonly<{
  /** Whether it can be part of the words of a template. */
  inWords: boolean
  /** Whether it can be part of a number, in any template. */
  inNumbers: boolean
  /** The patterns of the numbers if it can span a number and the words beside it. */
  across: ((template: string) => NumberPatterns) | undefined
  /** The text that the numbers contain if it spans them and words; may be empty. */
  number: string
}>

/** Patterns of numbers with `*` for any text, or `content` if the joined content must be searched. */
type NumberPatterns = readonly string[] | 'content'

/** Analyses where a keyword can occur in contents. */
export function templateKeyword(keyword: string): TemplateKeyword {
  if (keyword.includes(SLOT)) return WITH_SLOT
  const starts = startsOf(keyword)
  const tails = tailsOf(keyword)
  return {
    inWords: true,
    inNumbers: NUMBER_CHARACTERS.test(keyword),
    across:
      starts.length + tails.length === 0
        ? undefined
        : (template) => patternsOf(template.split(SLOT), starts, tails),
    number: sharedNumber(keyword),
  }
}

/** The character of a slot in a template can also be part of a content. */
const WITH_SLOT: TemplateKeyword = {
  inWords: false,
  inNumbers: false,
  across: (template) => (template.includes(SLOT) ? 'content' : []),
  number: '',
}

const NUMBER_MAXIMUM = 64
const NUMBER_CHARACTERS = /^[-+.e\d]+$/

const isInNumber = (text: string): boolean =>
  text.length <= NUMBER_MAXIMUM && NUMBER_CHARACTERS.test(text)

/** A keyword that begins in words and ends in the number after them. */
type NumberStart = Readonly<{ words: string; rest: string }>

function startsOf(keyword: string): NumberStart[] {
  const starts: NumberStart[] = []
  for (const { index } of keyword.matchAll(/(?<= )[-\d]/g)) {
    const words = keyword.slice(0, index)
    if (LEADS.some((lead) => words.endsWith(lead) || lead.endsWith(words)))
      starts.push({ words, rest: keyword.slice(index) })
  }
  return starts
}

/** A keyword that begins in a number and ends in the words after it. */
type NumberTail = Readonly<{ number: string; words: string }>

function tailsOf(text: string): NumberTail[] {
  const tails: NumberTail[] = []
  for (let length = 1; length <= NUMBER_MAXIMUM && length < text.length; length++) {
    const last = text.charAt(length - 1)
    if (!NUMBER_CHARACTERS.test(last)) break
    if (/\d/.test(last)) tails.push({ number: text.slice(0, length), words: text.slice(length) })
  }
  return tails
}

/** `words` are those of a template: there is a number between two of them. */
function patternsOf(
  words: readonly string[],
  starts: readonly NumberStart[],
  tails: readonly NumberTail[],
): NumberPatterns {
  const patterns = new Set<string>()
  let isUnclear = false
  const addTail = (tail: NumberTail, next: string, at: number, prefix: '*' | ''): void => {
    if (next.startsWith(tail.words)) patterns.add(patternAt(at, words, `${prefix}${tail.number}`))
    else if (tail.words.startsWith(next) && at + 1 < words.length) isUnclear = true
  }
  let [before = ''] = words
  for (const [at, next] of words.entries()) {
    if (at === 0) continue
    for (const tail of tails) addTail(tail, next, at, '*')
    for (const start of starts) {
      if (!before.endsWith(start.words)) continue
      if (isInNumber(start.rest)) patterns.add(patternAt(at, words, `${start.rest}*`))
      for (const tail of tailsOf(start.rest)) addTail(tail, next, at, '')
    }
    before = next
  }
  // With three numbers or more a pattern could match the wrong one.
  return isUnclear || (patterns.size > 0 && words.length > 3) ? 'content' : [...patterns]
}

/** The pattern of all numbers of a template with one or two, of which the one at `at` is `number`. */
function patternAt(at: number, words: readonly string[], number: string): string {
  if (words.length === 2) return number
  return at === 1 ? `${number} *` : `* ${number}`
}

/** The number of a keyword with one number: words beside a slot cannot contain it alone. */
function sharedNumber(keyword: string): string {
  const numbers = keyword.match(/-?\d+(?:\.\d+)*/g) ?? []
  return numbers.length === 1 && !keyword.endsWith('-') ? (numbers[0] ?? '') : ''
}
