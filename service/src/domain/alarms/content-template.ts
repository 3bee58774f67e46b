/**
 * A content without its measured numbers, `Strain: ␁mm, level 2 threshold (80,+)`, and the numbers
 * in their order with blanks between them. Many contents have one template.
 */
export type SplitContent = Readonly<{ template: string; numbers: string }>

/** Stands in a template for a number. */
const SLOT = '\u0001'

/** What comes before a measured number in a content, as the rules of this folder write it. */
const LEADS = [': ', 'rate ', 'at ', 'for ']

const NUMBER = new RegExp(
  String.raw`(?<=${LEADS.join('|')})-?\d{1,22}(?!\d)(?:\.\d{1,20}(?!\d))?(?:e[+-]\d{1,3}(?!\d))?`,
  'g',
)
const NUMBER_MAXIMUM = 64
const NUMBER_CHARACTERS = /^[-+.e\d]+$/

export function splitContent(content: string): SplitContent {
  const numbers: string[] = []
  if (content.includes(SLOT)) return { template: content, numbers: '' }
  const template = content.replaceAll(NUMBER, (number) => {
    numbers.push(number)
    return SLOT
  })
  return { template, numbers: numbers.join(' ') }
}

export function joinContent({ template, numbers }: SplitContent): string {
  if (numbers === '') return template
  const rest = numbers.split(' ')
  return template.replaceAll(SLOT, () => rest.shift() ?? '')
}

/** Where a keyword can occur in a content. */
export type KeywordPlaces = Readonly<{
  /** Within the words of its template. */
  inWords: boolean
  /** Within a single number, whatever the template. */
  inNumbers: boolean
  /** In a number and the words beside it: whether it can in contents of a template. */
  across: ((template: string) => boolean) | undefined
  /** Digits that the numbers have wherever the keyword occurs across; may be empty. */
  digits: string
}>

/** Finds out for a keyword in lower case; templates are in lower case too. */
export function keywordPlaces(keyword: string): KeywordPlaces {
  if (keyword.includes(SLOT)) {
    const across = (template: string): boolean => template.includes(SLOT)
    return { inWords: false, inNumbers: false, across, digits: '' }
  }
  const starts = startsOf(keyword)
  const tails = tailsOf(keyword).filter((tail) => tail !== '')
  const across = (template: string): boolean => reachesNumber(template, starts, tails)
  return {
    inWords: true,
    inNumbers: NUMBER_CHARACTERS.test(keyword),
    across: starts.length + tails.length > 0 ? across : undefined,
    digits: firstDigits(keyword),
  }
}

type Start = Readonly<{ words: string; rest: string }>

/** The places of a keyword before which the words end and a number begins. */
function startsOf(keyword: string): Start[] {
  const starts: Start[] = []
  for (const { index } of keyword.matchAll(/(?<= )[-\d]/g)) {
    const words = keyword.slice(0, index)
    if (LEADS.some((lead) => words.endsWith(lead) || lead.endsWith(words)))
      starts.push({ words, rest: keyword.slice(index) })
  }
  return starts
}

/** What may come after a number with whose end a text begins, for each length of it. */
function tailsOf(text: string): string[] {
  const tails: string[] = []
  for (let length = 1; length <= NUMBER_MAXIMUM && length <= text.length; length++) {
    if (!NUMBER_CHARACTERS.test(text[length - 1]!)) break
    if (/\d/.test(text[length - 1]!)) tails.push(text.slice(length))
  }
  return tails
}

function reachesNumber(
  template: string,
  starts: readonly Start[],
  tails: readonly string[],
): boolean {
  const words = template.split(SLOT)
  const slots = words.keys().toArray().slice(1)
  /** Whether a text can follow the number before words, or continue in the next number. */
  const follows = (text: string, at: number): boolean => {
    const next = words[at]!
    if (text.length <= next.length) return next.startsWith(text)
    return text.startsWith(next) && at + 1 < words.length && fits(text.slice(next.length), at + 1)
  }
  const fits = (text: string, at: number): boolean =>
    (text.length <= NUMBER_MAXIMUM && NUMBER_CHARACTERS.test(text)) ||
    tailsOf(text).some((tail) => follows(tail, at))
  return slots.some(
    (at) =>
      tails.some((tail) => follows(tail, at)) ||
      starts.some((start) => words[at - 1]!.endsWith(start.words) && fits(start.rest, at)),
  )
}

/** Of a keyword with one number: the words beside a slot cannot hold its first digits. */
function firstDigits(keyword: string): string {
  const numbers = keyword.match(/\d[.\d]*/g) ?? []
  return numbers.length === 1 && !keyword.endsWith('-') ? (/^\d+/.exec(numbers[0]!)?.[0] ?? '') : ''
}
