import type { ConversionSettings } from '../domain/site-entry.ts'

/**
 * Refuses items of one station that are computed from different sensors at the same time.
 *
 * A record of a station is stored whole when one sensor's record arrives, so two sensors would
 * take each other's values away. Replacing a sensor at some time is fine.
 */
export function findSensorClash(conversions: readonly ConversionSettings[]): string | undefined {
  const starts = new Set(conversions.map(({ validFrom }) => validFrom ?? ''))
  for (const start of starts) {
    const inForce = new Map<string, ConversionSettings>()
    for (const one of conversions.toSorted(byStart))
      if ((one.validFrom ?? '') <= start) inForce.set(one.item, one)
    const [first, ...others] = inForce.values()
    const clash = others.find(({ sensor }) => sensor !== first?.sensor)
    if (first !== undefined && clash !== undefined)
      return `${first.item} and ${clash.item} are computed from different sensors; all items of a station must come from one sensor at a time`
  }
  return undefined
}

const byStart = (one: ConversionSettings, other: ConversionSettings): number =>
  (one.validFrom ?? '') < (other.validFrom ?? '') ? -1 : 1
