import type { Zone } from '../../domain/time/local-time.ts'
import { formatOffsetTime } from '../../domain/time/offset-text.ts'

/** `2026-10-25 02:30:00+02:00`; a whole second has no fraction. */
export const showTime = (instant: number, zone: Zone): string =>
  formatOffsetTime(instant, zone.spanAt(instant).offset).replace('T', ' ').replace('.000', '')
