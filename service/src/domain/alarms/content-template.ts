/**
 * A content without its measured numbers, `Strain: ␁mm, level 2 threshold (80,+)`, and the numbers
 * in their order with blanks between them. Many contents have one template.
 */
export type SplitContent = Readonly<{ template: string; numbers: string }>

/** Stands in a template for a number. */
export const SLOT = '\u0001'

/** What comes before a measured number in a content, as the rules of this folder write it. */
export const LEADS = [': ', 'rate ', 'at ', 'for ']

/** Never a part of digits and points that stand together. */
const NUMBER = new RegExp(
  String.raw`(?<=${LEADS.join('|')})-?\d{1,22}(?:\.\d{1,20})?(?!\.?\d)(?:e[+-]\d{1,3}(?!\.?\d))?`,
  'g',
)
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
