/**
 * A content without its measured numbers, `Strain: ␁mm, level 2 threshold (80,+)`, and the numbers
 * separated by blanks. Many contents share one template.
 */
type SplitContent = Readonly<{ template: string; numbers: string }>

/** The character of a template in place of a number. */
export const SLOT = '\u0001'

/** The texts before a measured number in the contents of alarms. */
export const LEADS = [': ', 'rate ', 'at ', 'for ']

/** A whole number, never a part of a longer run of digits and points. */
const NUMBER = new RegExp(
  String.raw`(?<=${LEADS.join('|')})-?\d{1,22}(?:\.\d{1,20})?(?!\.?\d)(?:e[+-]\d{1,3}(?!\.?\d))?`,
  'g',
)

/** Splits a content into its template and its numbers. */
export function splitContent(content: string): SplitContent {
  const numbers: string[] = []
  if (content.includes(SLOT)) return { template: content, numbers: '' }
  const template = content.replaceAll(NUMBER, (number) => {
    numbers.push(number)
    return SLOT
  })
  return { template, numbers: numbers.join(' ') }
}

/** Joins a template and its numbers to the content. */
export function joinContent({ template, numbers }: SplitContent): string {
  if (numbers === '') return template
  const rest = numbers.split(' ')
  return template.replaceAll(SLOT, () => rest.shift() ?? '')
}
