import { REPLACEMENTS, type Replacement } from '@plumbline/contract'
import { isObject } from '../../json/is-object.ts'
import type { Target } from '../formats/mapping.ts'
import { parseText } from '../../json/parse-text.ts'

/** What the replay of a rejected line needs beside its text. */
export type LineContext = {
  /** The path of the mapping. */
  mapping: string
  /** The header in force, as its dialect gives it. */
  header?: string | undefined
  /** The sensors and stations whose values of this line were stored. */
  stored: readonly Target['id'][]
  /** Whether the line was too long, and only its beginning was kept. */
  isCut: boolean
  /** Whether it came from a watched folder, and may not have any past time. */
  isLive?: boolean
  /** Whether its local time means the second pass of an hour that the zone repeats. */
  isSecondPass?: boolean
  /** What its values do to stored ones, where the import said so; otherwise its mapping does. */
  replace?: Replacement | undefined
}

export const formatContext = (context: LineContext): string => JSON.stringify(context)

/** The context from the text of `formatContext`; undefined for any other text. */
export function parseContext(text: string | undefined): LineContext | undefined {
  const context = parseText(text)
  if (!isObject(context)) return undefined
  const { mapping, stored, header, isCut, isLive, isSecondPass, replace } = context
  if (typeof mapping !== 'string' || !Array.isArray(stored)) return undefined
  if (header !== undefined && typeof header !== 'string') return undefined
  const ids = stored.filter((id): id is Target['id'] => ['string', 'number'].includes(typeof id))
  return {
    mapping,
    header,
    stored: ids,
    isCut: isCut === true,
    isLive: isLive === true,
    isSecondPass: isSecondPass === true,
    replace: REPLACEMENTS.find((one) => one === replace),
  }
}
