import { LEADS, SLOT } from './content-template.ts'

/** Where a keyword can occur in contents, by their templates and numbers in lower case. */
export type TemplateKeyword = Readonly<{
  /** Whether it can lie within the words of a template. */
  inWords: boolean
  /** Whether it can lie within a number, whatever the template. */
  inNumbers: boolean
  /** Where it lies in a number and the words beside it, if it can: what the numbers must be like. */
  across: ((template: string) => NumberPatterns) | undefined
  /** What the numbers have wherever it lies across; may be empty. */
  number: string
}>

/** The numbers match one of these patterns with `*` for any text, or the joined content decides. */
export type NumberPatterns = readonly string[] | 'content'

export function templateKeyword(keyword: string): TemplateKeyword {
  if (keyword.includes(SLOT)) return OF_SLOT
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

/** What stands for a number in a template may be a character of a content too. */
const OF_SLOT: TemplateKeyword = {
  inWords: false,
  inNumbers: false,
  across: (template) => (template.includes(SLOT) ? 'content' : []),
  number: '',
}

const NUMBER_MAXIMUM = 64
const NUMBER_CHARACTERS = /^[-+.e\d]+$/

const isInNumber = (text: string): boolean =>
  text.length <= NUMBER_MAXIMUM && NUMBER_CHARACTERS.test(text)

/** A keyword that ends words and goes on in the number behind them. */
type Start = Readonly<{ words: string; rest: string }>

function startsOf(keyword: string): Start[] {
  const starts: Start[] = []
  for (const { index } of keyword.matchAll(/(?<= )[-\d]/g)) {
    const words = keyword.slice(0, index)
    if (LEADS.some((lead) => words.endsWith(lead) || lead.endsWith(words)))
      starts.push({ words, rest: keyword.slice(index) })
  }
  return starts
}

/** A text that ends a number and goes on in the words behind it. */
type Tail = Readonly<{ number: string; words: string }>

function tailsOf(text: string): Tail[] {
  const tails: Tail[] = []
  for (let length = 1; length <= NUMBER_MAXIMUM && length < text.length; length++) {
    const last = text[length - 1]!
    if (!NUMBER_CHARACTERS.test(last)) break
    if (/\d/.test(last)) tails.push({ number: text.slice(0, length), words: text.slice(length) })
  }
  return tails
}

/** `words` are those of a template: a number stands before each but the first. */
function patternsOf(
  words: readonly string[],
  starts: readonly Start[],
  tails: readonly Tail[],
): NumberPatterns {
  const patterns = new Set<string>()
  let isUnclear = false
  const addTail = (tail: Tail, at: number, before: '*' | ''): void => {
    const next = words[at]!
    if (next.startsWith(tail.words)) patterns.add(patternAt(at, words, `${before}${tail.number}`))
    else if (tail.words.startsWith(next) && at + 1 < words.length) isUnclear = true
  }
  for (let at = 1; at < words.length; at++) {
    for (const tail of tails) addTail(tail, at, '*')
    for (const start of starts) {
      if (!words[at - 1]!.endsWith(start.words)) continue
      if (isInNumber(start.rest)) patterns.add(patternAt(at, words, `${start.rest}*`))
      for (const tail of tailsOf(start.rest)) addTail(tail, at, '')
    }
  }
  // Of three numbers a pattern does not tell which one it matches.
  return isUnclear || (patterns.size > 0 && words.length > 3) ? 'content' : [...patterns]
}

/** All numbers of a template of one or two, of which one is like this. */
function patternAt(at: number, words: readonly string[], number: string): string {
  if (words.length === 2) return number
  return at === 1 ? `${number} *` : `* ${number}`
}

/** Of a keyword with one number: the words beside a slot cannot hold it, or its sign, alone. */
function sharedNumber(keyword: string): string {
  const numbers = keyword.match(/-?\d+(?:\.\d+)*/g) ?? []
  return numbers.length === 1 && !keyword.endsWith('-') ? (numbers[0] ?? '') : ''
}
