import { initial } from './001-initial.ts'
import { sealedDays } from './002-sealed.ts'
import { ingest } from './003-ingest.ts'
import { vibration } from './004-vibration.ts'
import { readings } from './005-readings.ts'
import { alarms } from './006-alarms.ts'
import { notifications } from './007-notifications.ts'
import { rawWriters } from './008-raw-writers.ts'
import { waveformChanges } from './009-waveform-changes.ts'
import { rejectContext } from './010-refusal-context.ts'
import { alarmLists } from './011-alarm-lists.ts'
import { expiredTokens } from './012-expired-tokens.ts'
import { earlyRecords } from './013-early-records.ts'
import { retention } from './014-retention.ts'
import { addChecksums, announceChecksums, checksums } from './015-checksums.ts'
import { countRejectedBytes, rejectedBytes } from './016-rejected-bytes.ts'
import type { Database } from 'better-sqlite3'

export type Migration = {
  name: string
  /** What it is for, in a few words for operators. */
  does: string
  statements: readonly string[]
  /** What is said before where it takes long. */
  announce?: (database: Database) => string | undefined
  /** What statements alone cannot do, after them. */
  run?: (database: Database) => void
}

/** In order; a database remembers how many of them it has seen. Only ever append. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '001-initial', does: 'makes the tables', statements: initial },
  { name: '002-sealed', does: 'keeps past days compressed', statements: sealedDays },
  {
    name: '003-ingest',
    does: 'keeps what could not be stored, and what imports replaced',
    statements: ingest,
  },
  { name: '004-vibration', does: 'gives waveforms checksums', statements: vibration },
  { name: '005-readings', does: 'keeps who measured by hand', statements: readings },
  { name: '006-alarms', does: 'keeps the state of alarms', statements: alarms },
  {
    name: '007-notifications',
    does: 'keeps notifications until they are delivered',
    statements: notifications,
  },
  {
    name: '008-raw-writers',
    does: 'notes which process wrote raw records',
    statements: rawWriters,
  },
  {
    name: '009-waveform-changes',
    does: 'keeps the waveforms that imports replaced',
    statements: waveformChanges,
  },
  {
    name: '010-refusal-context',
    does: 'keeps what a replay of rejected lines needs',
    statements: rejectContext,
  },
  { name: '011-alarm-lists', does: 'numbers the changes of alarms', statements: alarmLists },
  {
    name: '012-expired-tokens',
    does: 'remembers which tokens have expired',
    statements: expiredTokens,
  },
  {
    name: '013-early-records',
    does: 'notes records that are ahead of the clock',
    statements: earlyRecords,
  },
  {
    name: '014-retention',
    does: 'keeps the course of the clock, and what retention deleted',
    statements: retention,
  },
  {
    name: '015-checksums',
    does: 'gives checksums to open records and other rows',
    statements: checksums,
    announce: announceChecksums,
    run: addChecksums,
  },
  {
    name: '016-rejected-bytes',
    does: 'counts the bytes of rejected records',
    statements: rejectedBytes,
    run: countRejectedBytes,
  },
]
