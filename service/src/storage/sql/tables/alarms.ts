import type { Generated } from 'kysely'

export type AlarmTables = {
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
  alarm_versions: { source_id: string; version: number; writer: number }
  alarm_states: { source_id: string; type_code: string; alarm_id: number; state: string }
  /** The number of closed alarms. */
  alarm_counts: { structure_id: number; level: number; category: number; closed: number }
}
