import { zone } from '../../service/src/domain/time/local-time.ts'
import { FIRST_INSTANT, ITEM_KEYS, MINUTE } from './site.ts'
import { randomNumbers } from './statistics.ts'

export type SeriesRecord = { instant: number; time: string; values: number[] }

/** The clock of the measured site. */
export const SITE_ZONE = zone('Asia/Shanghai')

/** A station's records from the first instant on: a daily wave with noise, in hundredths. */
export function* series(count: number): Generator<SeriesRecord> {
  const random = randomNumbers(7)
  for (let minute = 0; minute < count; minute++) {
    const instant = FIRST_INSTANT + minute * MINUTE
    const values = ITEM_KEYS.map((_, item) => {
      const wave = Math.sin((minute / 1440 + item / 3) * 2 * Math.PI) * (800 + 100 * item)
      return Math.round(wave + random() * 60) / 100
    })
    yield { instant, time: SITE_ZONE.toLocal(instant), values }
  }
}
