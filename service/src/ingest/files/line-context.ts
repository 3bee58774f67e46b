import type { Target } from '../formats/mapping.ts'

/** What a refused line needs to be read again, beside its text. */
export type LineContext = {
  /** The file of the mapping. */
  mapping: string
  /** The line that named the columns. */
  header?: string | undefined
  /** The sensors and stations whose values of this line were stored. */
  stored: readonly Target['id'][]
  /** Of a line that is too long only the beginning is there. */
  isCut: boolean
  /** Whether it came in by a watched folder, and so may not be of any past. */
  isLive?: boolean
}

export const formatContext = (context: LineContext): string => JSON.stringify(context)

/** A text that is not of our writing is as good as none. */
export function parseContext(text: string | undefined): LineContext | undefined {
  if (text === undefined) return undefined
  try {
    const context = JSON.parse(text) as LineContext
    const { mapping, stored, header = '' } = context
    const isWhole =
      typeof mapping === 'string' && typeof header === 'string' && Array.isArray(stored)
    return isWhole ? context : undefined
  } catch {
    return undefined
  }
}
