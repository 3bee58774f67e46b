import type { RecordKind } from '../../stores/records.ts'

/** How a table is copied. */
export type CopiedTable = {
  name: string
  /** The columns of its primary key. */
  key: readonly [string, ...string[]]
  /** The columns by which rows are compared, where the others follow from them; default: all. */
  compared?: readonly string[]
  /** Columns that the database fills in. */
  computed?: readonly string[]
  /** The row of another table without which there is no row of this one. */
  parent?: { table: string; key: string; column: string }
  /** Whether other columns than the key are unique: rows that are gone make place first. */
  isUnique?: boolean
  /** Its rows are open records, whose checksums change with them. */
  records?: RecordKind
  /** Its rows are sealed parts, whose compressed records are stored beside them or in them. */
  parts?: RecordKind
  /** Rows with large values are read a few at a time. */
  pageRows?: number
  /** The rows that are copied. */
  where?: string
  /** What a row belongs to, for the verification, such as a station. */
  group?: { column: string; noun: string }
  /** What the rows are, where the name of the table does not say it. */
  noun?: string
}

/** Rows of `meta` that belong to one storage. */
export const OWN_KEYS = {
  checkedAt: 'checked_at',
  id: 'storage_id',
  copiedFrom: 'copied_from',
  copiedAt: 'copied_at',
}

const ofChange = { table: 'changes', key: 'id', column: 'change_id' } as const

/** A kind with its tables of records, in the order in which they are copied. */
export const RECORD_KINDS = ['raw', 'theme'] as const

const sourceOf = (kind: RecordKind) => ({
  column: 'source',
  noun: kind === 'theme' ? 'station' : 'sensor',
})

const ofRecords = (kind: RecordKind): CopiedTable[] => [
  {
    name: `${kind}_sealed_parts`,
    key: ['id'],
    compared: ['source', 'start', 'header_crc', 'deflated_crc', 'bounds_crc'],
    isUnique: true,
    parts: kind,
    pageRows: 100,
    group: sourceOf(kind),
    noun: 'sealed parts',
  },
  { name: `${kind}_marks`, key: ['source', 'time'], group: sourceOf(kind), noun: 'marks' },
]

/** The tables that are copied row by row; a table comes after the one that it refers to. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    name: 'meta',
    key: ['key'],
    where: `key not in (${Object.values(OWN_KEYS)
      .map((key) => `'${key}'`)
      .join(', ')}) and key not like 'backup %'`,
  },
  { name: 'site_entries', key: ['kind', 'id'], noun: 'entries of the site' },
  { name: 'default_groups', key: ['id'], isUnique: true },
  { name: 'sensors', key: ['key'], isUnique: true },
  { name: 'applications', key: ['id'] },
  {
    name: 'tokens',
    key: ['hash'],
    parent: { table: 'applications', key: 'id', column: 'application_id' },
  },
  { name: 'ingest_keys', key: ['id'], isUnique: true },
  { name: 'accounts', key: ['id'], isUnique: true },
  {
    name: 'sessions',
    key: ['hash'],
    parent: { table: 'accounts', key: 'id', column: 'account_id' },
  },
  { name: 'one_time_links', key: ['hash'] },
  { name: 'audit_lines', key: ['seq'] },
  { name: 'audit_notes', key: ['id'] },
  ...RECORD_KINDS.flatMap(ofRecords),
  { name: 'early_records', key: ['source', 'time'] },
  { name: 'early_sources', key: ['kind', 'source'] },
  { name: 'manual_readings', key: ['id'], group: { column: 'station_id', noun: 'station' } },
  {
    name: 'traffic_records',
    key: ['structure_id', 'time', 'identity'],
    group: { column: 'structure_id', noun: 'structure' },
    noun: 'vehicles',
  },
  { name: 'alarm_source_names', key: ['id'], isUnique: true },
  { name: 'alarm_templates', key: ['id'], isUnique: true },
  {
    name: 'alarms',
    key: ['id'],
    isUnique: true,
    group: { column: 'structure_id', noun: 'structure' },
  },
  {
    name: 'alarm_details',
    key: ['alarm_id', 'step'],
    parent: { table: 'alarms', key: 'id', column: 'alarm_id' },
    noun: 'transitions of alarms',
  },
  { name: 'alarm_versions', key: ['source_id'] },
  { name: 'alarm_states', key: ['source_id', 'type_code'] },
  { name: 'pictures', key: ['id'], compared: ['camera_id', 'taken_at'], pageRows: 20 },
  { name: 'alarm_snapshots', key: ['id'] },
  { name: 'alarm_events', key: ['id'] },
  { name: 'alarm_shelvings', key: ['id'] },
  { name: 'portraits', key: ['structure_id'], compared: ['type', 'hash'], pageRows: 10 },
  { name: 'station_positions', key: ['station_id'] },
  { name: 'device_contacts', key: ['device_id'] },
  { name: 'device_errors', key: ['device_id'] },
  { name: 'outbox', key: ['id'] },
  { name: 'deliveries', key: ['id'], isUnique: true },
  { name: 'reminders', key: ['alarm_id', 'channel'] },
  { name: 'maintenance_windows', key: ['id'] },
  { name: 'rejects', key: ['id'], computed: ['bytes'], pageRows: 200 },
  { name: 'reject_drops', key: ['origin'] },
  { name: 'changes', key: ['id'] },
  { name: 'change_records', key: ['change_id', 'kind', 'source', 'time'], parent: ofChange },
  {
    name: 'change_vehicles',
    key: ['change_id', 'structure_id', 'time', 'identity'],
    parent: ofChange,
  },
  {
    name: 'change_waveforms',
    key: ['change_id', 'station_id', 'trigger_time', 'trigger_nanoseconds'],
    parent: ofChange,
  },
  {
    name: 'waveforms',
    key: ['id'],
    isUnique: true,
    group: { column: 'station_id', noun: 'station' },
  },
  { name: 'waveform_chunks', key: ['id'], compared: ['crc'], noun: 'chunks of waveforms' },
  { name: 'clock_state', key: ['id'] },
  { name: 'positions', key: ['name'] },
  { name: 'retention_shares', key: ['structure_id', 'kind'] },
]

/** The open records of a kind, which are copied day by day. */
export const openRecords = (kind: RecordKind): CopiedTable => ({
  name: `${kind}_records`,
  key: ['source', 'time'],
  records: kind,
  group: sourceOf(kind),
  noun: 'records',
})

/** The open days of a kind. The revision of a day says which state of its records was copied. */
export const openDays = (kind: RecordKind): CopiedTable => ({
  name: `${kind}_open_days`,
  key: ['source', 'day'],
  computed: ['first', 'last'],
})

/** Tables of which nothing is copied: the databases fill them in, or they mean nothing elsewhere. */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  'leases',
  'schema_version',
  'schema_objects',
  'row_sums',
  'sqlite_sequence',
  'alarm_counts',
  'alarm_count_parts',
  'reject_bytes',
  'reject_byte_parts',
  ...RECORD_KINDS.flatMap((kind) =>
    ['open_hours', 'checksums', 'last_checksums', 'sealed_chunks', 'sources'].map(
      (table) => `${kind}_${table}`,
    ),
  ),
])
