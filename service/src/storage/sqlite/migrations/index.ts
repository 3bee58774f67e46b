import { initial } from './001-initial.ts'
import { sealedDays } from './002-sealed.ts'
import { intake } from './003-intake.ts'
import { vibration } from './004-vibration.ts'
import { readings } from './005-readings.ts'
import { alarms } from './006-alarms.ts'
import { telling } from './007-telling.ts'
import { rawWriters } from './008-raw-writers.ts'
import { waveformChanges } from './009-waveform-changes.ts'
import { refusalContext } from './010-refusal-context.ts'
import { alarmLists } from './011-alarm-lists.ts'
import { addChecksums, checksums } from './012-checksums.ts'
import type { Database } from 'better-sqlite3'

/** In order; a database remembers how many of them it has seen. Only ever append. */
export const MIGRATIONS: readonly {
  name: string
  statements: readonly string[]
  /** What statements alone cannot do, after them. */
  run?: (database: Database) => void
}[] = [
  { name: '001-initial', statements: initial },
  { name: '002-sealed', statements: sealedDays },
  { name: '003-intake', statements: intake },
  { name: '004-vibration', statements: vibration },
  { name: '005-readings', statements: readings },
  { name: '006-alarms', statements: alarms },
  { name: '007-telling', statements: telling },
  { name: '008-raw-writers', statements: rawWriters },
  { name: '009-waveform-changes', statements: waveformChanges },
  { name: '010-refusal-context', statements: refusalContext },
  { name: '011-alarm-lists', statements: alarmLists },
  { name: '012-checksums', statements: checksums, run: addChecksums },
]
