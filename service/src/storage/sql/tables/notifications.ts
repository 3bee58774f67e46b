import type { Generated } from 'kysely'
import type { DeliveryState } from '@plumbline/contract'
import type { DeliveryKind } from '../../stores/deliveries.ts'

export type NotificationTables = {
  outbox: {
    id: Generated<number>
    alarm_id: number
    step: number
    is_late: number
    created_at: number
  }
  deliveries: {
    id: Generated<number>
    kind: DeliveryKind
    outbox_id: number | null
    alarm_id: number | null
    step: number | null
    structure_id: number | null
    channel: string
    rules: string
    message: string
    state: DeliveryState
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
}
