import { describeUnknown, QualityFlags } from '../../domain/quality/quality-flags.ts'
import { showQuality } from '../../domain/quality/quality-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'

type FlagSettings = { flags?: Record<string, string>; otherwise?: string }

/** The quality of a record as `readQuality` reads it, or the sentence that says why there is none. */
export type SentQuality = { quality: unknown } | { problem: string }

/**
 * Compiles what the qualities of a sender mean: flags of the settings, or without these what
 * `readQuality` reads. Throws a `RefusedError` for settings that contradict each other.
 */
export function flagReader({ flags, otherwise }: FlagSettings): (sent: unknown) => SentQuality {
  if (flags === undefined && otherwise !== undefined)
    throw new RefusedError('invalid', 'otherwise has no meaning without flags')
  if (flags === undefined) return (sent) => ({ quality: sent })
  const named = new QualityFlags({ flags, otherwise })
  return (sent) => {
    const text = sent === undefined || sent === null ? '' : sent
    if (typeof text === 'object')
      return { problem: `a flag must be a text, a number or a boolean, not ${show(sent)}` }
    const quality = named.read(String(text))
    if ('unknown' in quality) return { problem: describeUnknown(quality, 'the settings') }
    return { quality: quality.quality === 'good' ? undefined : showQuality(quality) }
  }
}

/** Refuses flags of qualities that the settings do not find. */
export function refuseIdleFlags({ flags, otherwise }: FlagSettings, missing: string): void {
  const idle = flags === undefined ? 'otherwise' : 'flags'
  if (flags !== undefined || otherwise !== undefined)
    throw new RefusedError('invalid', `${idle} has no meaning without ${missing}`)
}
