import type { Generated } from 'kysely'
import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'
import type { EarlyKind } from '../storage.ts'

/** The tables as Kysely sees them; `migrations/` creates them. */
export type Tables = {
  meta: { key: string; value: number }
  applications: {
    id: string
    user_id: number
    name: string
    secret_hash: Uint8Array
    created_at: number
    revoked_at: number | null
  }
  tokens: {
    hash: Uint8Array
    application_id: string
    issued_at: number
    expires_at: number
    invalidated_at: number | null
    expired_at: number | null
  }
  ingest_keys: {
    id: Generated<number>
    name: string
    hash: Uint8Array
    created_at: number
    revoked_at: number | null
  }
  site_entries: { kind: string; id: string; position: number; definition: string }
  default_groups: { id: Generated<number>; structure_id: number; factor_id: number }
  sensors: { key: Generated<number>; id: string }
  theme_records: { source: number; time: number; record: string }
  raw_records: { source: number; time: number; record: string }
  theme_open_days: { source: number; day: number; count: number; revision: number }
  raw_open_days: {
    source: number
    day: number
    count: number
    revision: number
    /** Who wrote last, and the revision from which on nobody else did. */
    writer: number
    since: number
  }
  traffic_records: {
    structure_id: number
    time: number
    identity: string
    overload: number
    license: string
    load: number
    record: string
    details: string
  }
  waveforms: {
    id: Generated<number>
    station_id: number
    /** The second under which it is asked for, which no other batch of the station has. */
    collect_time: number
    trigger_time: number
    trigger_nanoseconds: number
    sample_freq: string
    unit: string
    count: number
    sample_bytes: number
  }
  /** The id is the batch's with the piece's place behind it. */
  waveform_chunks: { id: number; crc: number; samples: Uint8Array }
  alarm_source_names: { id: Generated<number>; name: string; folded: string }
  alarm_templates: { id: Generated<number>; template: string; folded: string }
  alarms: {
    id: Generated<number>
    structure_id: number
    source_id: string
    source_name_id: number
    source_type: number
    category: number
    type_code: string
    level: number
    template_id: number
    numbers: string
    count: number
    state: number
    start_time: number
    end_time: number
  }
  alarm_details: {
    alarm_id: number
    step: number
    sponsor: string
    alarm_code: string
    alarm_state: number
    current_level: number
    content: string
    time: string
  }
  alarm_version: { id: number; version: number; writer: number }
  alarm_states: {
    source_id: string
    type_code: string
    alarm_id: number
    state: string
    version: number
  }
  outbox: {
    id: Generated<number>
    alarm_id: number
    step: number
    is_late: number
    created_at: number
  }
  early_records: { source: number; time: number; is_notified: number }
  early_sources: {
    kind: EarlyKind
    source: string
    since: number
    last_at: number
    through: number
    lead: number
  }
  device_errors: { device_id: string; time: number; error: string }
  deliveries: {
    id: Generated<number>
    kind: string
    outbox_id: number | null
    alarm_id: number | null
    step: number | null
    structure_id: number | null
    channel: string
    rules: string
    message: string
    state: string
    attempts: number
    created_at: number
    due_at: number
    next_at: number
    last_error: string | null
    reason: string | null
    delivered_at: number | null
    summary_id: number | null
  }
  reminders: { alarm_id: number; channel: string; next_at: number }
  maintenance_windows: {
    id: Generated<number>
    structures: string
    stations: string
    starts_at: number
    ends_at: number
    reason: string
    created_at: number
    ended_at: number | null
  }
  device_contacts: { device_id: string; time: number }
  rejects: {
    id: Generated<number>
    kind: RejectOrigin['kind']
    origin: string
    place: string
    reason: string
    payload: Uint8Array
    received_at: number
    context: string | null
    source: string
    bytes: number
  }
  reject_bytes: { source: string; bytes: number }
  reject_drops: { origin: string; dropped: number }
  manual_readings: {
    id: Generated<number>
    station_id: number
    time: number
    author: string
    user_id: number
    note: string
    record: string
    entered_at: number
  }
  positions: { name: string; position: string }
  changes: {
    id: Generated<number>
    kind: string
    description: string
    started_at: number
    finished_at: number | null
    undone_at: number | null
  }
  change_records: {
    change_id: number
    kind: string
    source: number
    time: number
    written: number | null
    previous: string | null
  }
  change_waveforms: {
    change_id: number
    station_id: number
    trigger_time: number
    trigger_nanoseconds: number
    collect_time: number
    sources: string
    written: number | null
    previous: number | null
    sample_freq: string | null
    unit: string | null
    count: number | null
    sample_bytes: number | null
  }
}
