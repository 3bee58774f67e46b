import { isObject } from '../../json/is-object.ts'
import { parseText } from '../../json/parse-text.ts'
/** The topic of a rejected message, kept for its replay. */
type MessageContext = {
  topic: string
  /** The indexes of the rejected records; undefined: all. */
  indexes: readonly number[] | undefined
}

export const formatContext = (context: MessageContext): string => JSON.stringify(context)

/** The context from the text of `formatContext`; undefined for any other text. */
export function parseContext(text: string | undefined): MessageContext | undefined {
  const context = parseText(text)
  if (!isObject(context)) return undefined
  const { topic, indexes } = context
  return typeof topic === 'string' && isIndexes(indexes) ? { topic, indexes } : undefined
}

const isIndexes = (value: unknown): value is number[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(Number.isSafeInteger))

/** The topic, followed by the indexes of records where there are any: `site/a#1,3`. */
export const describePlace = (topic: string, indexes: readonly number[] | undefined): string =>
  indexes === undefined ? topic : `${topic}#${indexes.join(',')}`
