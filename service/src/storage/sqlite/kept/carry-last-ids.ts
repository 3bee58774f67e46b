import Sqlite from 'better-sqlite3'

/** More alarms than are raised between an upgrade and the way back: what a damaged database had is unknown. */
const MARGIN = 100_000

/**
 * Lets a kept database give alarms no id that the current one gave out, and lets it know when it came back:
 * clients have seen these ids.
 */
export function carryLastIds(current: string, kept: string): void {
  const last = findLastAlarm(current)
  const database = new Sqlite(kept)
  try {
    database.pragma('synchronous = full')
    const own = readLastAlarm(database)
    database.transaction(() => {
      if (own === undefined)
        database.exec(`insert into sqlite_sequence (name, seq) values ('alarms', 0)`)
      database
        .prepare(`update sqlite_sequence set seq = max(seq, ?) where name = 'alarms'`)
        .run(last ?? (own ?? 0) + MARGIN)
      database
        .prepare(
          `insert into meta (key, value) values ('restored_at', ?)
            on conflict (key) do update set value = excluded.value`,
        )
        .run(Date.now())
    })()
  } finally {
    database.close()
  }
}

/** Undefined where the database cannot be read. */
function findLastAlarm(file: string): number | undefined {
  try {
    // Read only: closing it leaves its log as it is.
    const database = new Sqlite(file, { readonly: true })
    try {
      return readLastAlarm(database) ?? 0
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

const readLastAlarm = (database: Sqlite.Database): number | undefined =>
  database
    .prepare<[], number>(`select seq from sqlite_sequence where name = 'alarms'`)
    .pluck()
    .get()
