import { RefusedError } from '../../errors/refused-error.ts'
import { show, shorten } from '../../errors/show.ts'
import { EXPECTED_QUALITY, parseQuality } from './quality-text.ts'
import { worse, type Quality } from './quality.ts'

/** What flags mean, as settings or a mapping say it: qualities by flag, and that of any other flag. */
type FlagSettings = {
  flags: Readonly<Record<string, string>>
  otherwise?: string | undefined
}

/** A flag that the settings do not name: no quality can be read. */
export type UnknownFlag = { unknown: string }

/** What stands between several flags of one text. */
const BETWEEN_FLAGS = /[\s,:;/]+/

/** A longer text is one flag, which nobody named: thousands of records may have the same. */
const MOST_TEXT = 1000

const NO_FLAG: Quality = { quality: 'good', reason: '' }

/** The qualities that the flags of an agency or a device stand for. */
export class QualityFlags {
  readonly #named: ReadonlyMap<string, Quality>
  readonly #otherwise: Quality | undefined

  /** Throws a `RefusedError` for a quality that is none. */
  constructor({ flags, otherwise }: FlagSettings) {
    this.#named = new Map(
      Object.entries(flags).map(([flag, text]) => [
        flag,
        requireQuality(text, `flag ${show(flag)}`),
      ]),
    )
    this.#otherwise =
      otherwise === undefined ? undefined : requireQuality(otherwise, 'other flags (otherwise)')
  }

  /**
   * Reads a text of flags: the whole text is one, or each of its parts between blanks, commas, colons,
   * semicolons and slashes; the worst quality holds. No flag is good, unless `''` has a quality.
   */
  read(text: string): Quality | UnknownFlag {
    const trimmed = trim(text)
    const whole = this.#named.get(trimmed)
    if (whole !== undefined) return whole
    if (trimmed === '') return NO_FLAG
    let worst = NO_FLAG
    for (const flag of flagsIn(trimmed)) {
      const quality = this.#named.get(flag) ?? this.#otherwise
      if (quality === undefined) return { unknown: flag }
      worst = worse(worst, quality)
    }
    return worst
  }

  /** Whether a text is flags that are named, and nothing else. */
  areNamed(text: string): boolean {
    const trimmed = trim(text)
    return this.#named.has(trimmed) || flagsIn(trimmed).every((flag) => this.#named.has(flag))
  }
}

const trim = (text: string): string => (text.length > MOST_TEXT ? text : text.trim())

/** The flags of a text. One of separators only is a flag itself: it must not be good in silence. */
function flagsIn(text: string): string[] {
  if (text.length > MOST_TEXT) return [text]
  const flags = text.split(BETWEEN_FLAGS).filter((flag) => flag !== '')
  return flags.length === 0 ? [text] : flags
}

/** Why a value with an unknown flag is rejected; `where` names the settings or the mapping. */
export const describeUnknown = ({ unknown }: UnknownFlag, where: string): string =>
  `the flag ${JSON.stringify(shorten(unknown, 40))} is not among the flags of ${where}`

function requireQuality(text: string, what: string): Quality {
  const quality = parseQuality(text)
  if (quality !== undefined) return quality
  throw new RefusedError('invalid', `the quality of ${what} is ${show(text)}, ${EXPECTED_QUALITY}`)
}
