import type { ValueQuality } from '@plumbline/contract'
import type { Mark } from '../../domain/quality/quality.ts'

/** The quality of a value as responses show it: a bad value with its number. */
export const valueQuality = (
  { quality, reason, origin }: Mark,
  value: number | undefined,
): ValueQuality => ({
  quality,
  reason,
  origin,
  ...(quality === 'bad' && value !== undefined ? { value } : {}),
})
