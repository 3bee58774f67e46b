/** The texts before a number with a unit in the content of an alarm. */
const LEADS = [': ', 'rate ', 'limit ', 'design value ']

/** A plane angle is written without a blank (SI Brochure, 9th edition, 5.4.3). */
const WITHOUT_BLANK = new Set(['°', '′', '″', "'", '"'])

/**
 * Returns the content of an alarm for people: with a blank between a number and its unit, which the
 * stored content leaves out. `units` are those of the items of its station.
 */
export function readableContent(content: string, units: Iterable<string>): string {
  const spaced = [...new Set(units)]
    .filter((unit) => unit.trim() !== '' && !WITHOUT_BLANK.has(unit))
    // Of `m` and `mm` the longer one is tried first.
    .toSorted((one, other) => other.length - one.length)
  if (spaced.length === 0) return content
  const lead = `(?:${LEADS.join('|')})`
  const number = String.raw`[+-]?\d+(?:\.\d+)?(?:e[+-]\d+)?`
  const unit = spaced.map((one) => RegExp.escape(one)).join('|')
  const pattern = new RegExp(`(?<=${lead}${number})(?=(?:${unit})(?![\\p{L}\\p{N}]))`, 'gu')
  return content.replaceAll(pattern, ' ')
}
