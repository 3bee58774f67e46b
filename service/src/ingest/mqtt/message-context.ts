/** What a replay of a message needs beside its payload. */
export type MessageContext = {
  topic: string
  /** Which of its records were rejected; undefined: all. */
  indexes: readonly number[] | undefined
}

export const formatContext = (context: MessageContext): string => JSON.stringify(context)

/** The context that was kept; undefined for any other text. */
export function parseContext(text: string | undefined): MessageContext | undefined {
  try {
    const context: unknown = JSON.parse(text ?? 'null')
    if (typeof context !== 'object' || context === null || !('topic' in context)) return undefined
    const { topic } = context
    const indexes = 'indexes' in context ? context.indexes : undefined
    if (typeof topic !== 'string' || !isIndexes(indexes)) return undefined
    return { topic, indexes }
  } catch {
    return undefined
  }
}

const isIndexes = (value: unknown): value is number[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(Number.isSafeInteger))

/** The topic, and `#1,3` where some of several records are meant. */
export const describePlace = (topic: string, indexes: readonly number[] | undefined): string =>
  indexes === undefined ? topic : `${topic}#${indexes.join(',')}`
