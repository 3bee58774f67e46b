import type { Block } from './_blocks.ts'

/**
 * Whether a program has printed what a page shows. `…` in a line stands for any text, a line of `…`
 * for any lines; JSON is compared by its values, where `"…"` stands for any value.
 */
export function isShown(
  { language, text }: Pick<Block, 'language' | 'text'>,
  printed: string,
): boolean {
  return language === 'json' ? isSameJson(text, printed) : patternOf(text).test(printed.trimEnd())
}

/** Whether a program that goes on has printed the shown lines so far. */
export const hasPrinted = ({ text }: Pick<Block, 'text'>, printed: string): boolean =>
  new RegExp(patternSource(text), 'u').test(printed)

const patternOf = (text: string): RegExp => new RegExp(`^${patternSource(text)}$`, 'u')

const patternSource = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line === '…'
        ? '[^]*?'
        : line
            .split('…')
            .map((part) => RegExp.escape(part))
            .join('.*'),
    )
    .join('\\n')

function isSameJson(text: string, printed: string): boolean {
  try {
    return isSameValue(JSON.parse(text), JSON.parse(printed))
  } catch {
    return false
  }
}

function isSameValue(shown: unknown, found: unknown): boolean {
  if (shown === '…') return true
  if (typeof shown === 'string') return typeof found === 'string' && patternOf(shown).test(found)
  if (typeof shown !== 'object' || shown === null) return shown === found
  if (typeof found !== 'object' || found === null || Array.isArray(shown) !== Array.isArray(found))
    return false
  const keys = Object.keys(shown)
  return (
    keys.length === Object.keys(found).length &&
    keys.every((key) => isSameValue(Reflect.get(shown, key), Reflect.get(found, key)))
  )
}
