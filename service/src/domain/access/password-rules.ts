/** The fewest and the most characters of a password. */
const SHORTEST = 12
const LONGEST = 256

/** The shortest name that a password must not contain: shorter ones are in many words. */
const NAME_LENGTH = 3

/** Why a text may not be a password, as a sentence; undefined where it may. */
export function findPasswordProblem(password: string, name: string): string | undefined {
  const { length } = Array.from(password)
  if (length < SHORTEST || length > LONGEST)
    return `A password has ${SHORTEST} to ${LONGEST} characters, this one has ${length}.`
  const lower = password.toLowerCase()
  if (name.length >= NAME_LENGTH && lower.includes(name.toLowerCase()))
    return 'The password contains the sign-in name: choose another one.'
  if (isCommon(lower)) return 'The password is a common one: choose another one.'
  if (WORD_WITH_SIGNS.test(password))
    return 'The password is one word with digits or signs around it: choose another one.'
  return undefined
}

/** What programs try first that have a dictionary: `Hannover2026!`. */
const WORD_WITH_SIGNS = /^\P{L}{0,8}\p{Script=Latin}{4,10}\P{L}{0,8}$/u

/** Letters that stand behind digits and signs in many passwords. */
const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/**
 * Whether a password is among those that are guessed first: a few of the words that lists of leaked
 * passwords begin with, rows of keys or one short text again and again, with digits and signs around.
 */
function isCommon(lower: string): boolean {
  const bare = lower.replaceAll(/[^\p{L}\p{N}@$!]/gu, '')
  const trimmed = lower.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const texts = [lower, bare, toLetters(bare)]
  if (trimmed.length >= WORD_SHORTEST) texts.push(trimmed, toLetters(trimmed))
  return texts.some((text) => isRepeated(text) || isRow(text) || isMadeOf(text, COMMON_WORDS))
}

/** What stays of a password without the digits and signs around it, when that is a word. */
const WORD_SHORTEST = 4

const toLetters = (text: string): string =>
  Array.from(text, (sign) => LETTERS[sign] ?? sign).join('')

/** The longest text whose repetition is no password. */
const UNIT_LONGEST = 4

function isRepeated(text: string): boolean {
  for (let unit = 1; unit <= UNIT_LONGEST; unit++)
    if (
      text ===
      text
        .slice(0, unit)
        .repeat(Math.ceil(text.length / unit))
        .slice(0, text.length)
    )
      return true
  return false
}

const ROWS = ['01234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
  .concat(['qazwsxedcrfvtgbyhnujmikolp', '1qaz2wsx3edc4rfv5tgb6yhn', 'qwertzuiop', 'azertyuiop'])
  .flatMap((row) => [row, Array.from(row).toReversed().join('')])

/** Keys of a row that are guessed together. */
const ROW_SHORTEST = 3

/** Whether a text is nothing but pieces of rows of keys. */
function isRow(text: string): boolean {
  let rest = text
  while (rest.length >= ROW_SHORTEST) {
    const taken = Math.max(...ROWS.map((row) => commonLength(rest, row)))
    if (taken < ROW_SHORTEST) return false
    rest = rest.slice(taken)
  }
  return true
}

function commonLength(text: string, row: string): number {
  const start = row.indexOf(text.slice(0, 1))
  if (start < 0) return 0
  let length = 0
  while (length < text.length && text[length] === row[start + length]) length++
  return length
}

/** Whether a text is nothing but these words and digits. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const reached = new Set([0])
  for (let at = 0; at < text.length; at++) {
    if (!reached.has(at)) continue
    if (/\d/.test(text[at] ?? '')) reached.add(at + 1)
    for (const word of words) if (text.startsWith(word, at)) reached.add(at + word.length)
  }
  return reached.has(text.length)
}

const COMMON_WORDS = `
admin administrator root user guest test demo login welcome password passwort passwd passw pass word
secret letmein master default changeme change access public private system server service database
monitor monitoring plumbline bridge sensor station console operator viewer company office computer
internet network google facebook microsoft windows linux ubuntu oracle mysql postgres cisco
qwerty qwertz azerty asdf zxcv qazwsx iloveyou love lovely loveme trustno one ninja dragon monkey
football baseball basketball soccer hockey superman batman spiderman starwars pokemon princess
sunshine flower rainbow butterfly chocolate cookie cheese banana apple orange summer winter spring
autumn monday tuesday wednesday thursday friday saturday sunday january february march april june
july august september october november december michael jennifer jessica ashley daniel charlie
thomas jordan robert andrew joshua matthew anthony william hunter tigger shadow killer freedom
whatever nothing correct horse battery staple hello world abc the my your new old me is it and a i
woaini mima aini yanfa zhongguo beijing shanghai
`
  .trim()
  .split(/\s+/)
