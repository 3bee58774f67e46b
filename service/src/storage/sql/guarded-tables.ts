/**
 * The groups in which the rows of a table are counted and added up.
 *
 * `owner` and `part` are expressions over a row that name its group; `@` stands before a column.
 */
type GuardedTable = { owner: string; part: string }

const WHOLE: GuardedTable = { owner: '0', part: '0' }

export const GUARDED_TABLES = {
  site_entries: WHOLE,
  default_groups: WHOLE,
  sensors: WHOLE,
  applications: WHOLE,
  tokens: WHOLE,
  ingest_keys: WHOLE,
  accounts: WHOLE,
  sessions: WHOLE,
  one_time_links: WHOLE,
  audit_lines: { owner: '0', part: '@seq' },
  audit_notes: WHOLE,
  alarm_source_names: { owner: '0', part: '@id' },
  alarm_templates: { owner: '0', part: '@id' },
  alarms: { owner: '0', part: '@id' },
  alarm_details: { owner: '0', part: '@alarm_id' },
  alarm_states: WHOLE,
  outbox: WHOLE,
  deliveries: WHOLE,
  reminders: WHOLE,
  maintenance_windows: WHOLE,
  pictures: { owner: '0', part: '@id' },
  alarm_events: WHOLE,
  alarm_shelvings: WHOLE,
  portraits: { owner: '0', part: '@structure_id' },
  station_positions: WHOLE,
  alarm_snapshots: { owner: '0', part: '@alarm_id' },
  manual_readings: { owner: '@station_id', part: '0' },
  theme_marks: { owner: '@source', part: '@time >> 26' },
  raw_marks: { owner: '@source', part: '@time >> 26' },
  traffic_records: { owner: '@structure_id', part: '@time >> 22' },
  waveforms: { owner: '@station_id', part: '0' },
  theme_sealed_parts: { owner: '@source', part: '0' },
  raw_sealed_parts: { owner: '@source', part: '0' },
  rejects: WHOLE,
  changes: WHOLE,
  change_records: { owner: '@change_id', part: '0' },
  change_waveforms: { owner: '@change_id', part: '0' },
} as const satisfies Record<string, GuardedTable>

export type GuardedName = keyof typeof GUARDED_TABLES

export const isGuarded = (name: string): name is GuardedName => Object.hasOwn(GUARDED_TABLES, name)

export const GUARDED_NAMES = Object.keys(GUARDED_TABLES).filter(isGuarded)

/** Rows of a guarded table: all, the groups between two parts of an owner (both included), or some parts. */
export type GuardedSpan = {
  table: GuardedName
  owner?: number
  from?: number
  to?: number
  /** In place of `from` and `to`, of a table without owners. */
  parts?: readonly number[]
}
