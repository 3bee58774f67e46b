import type { MaintenanceWindow } from '../../domain/notifications/maintenance-window.ts'

export type StoredMaintenance = Omit<MaintenanceWindow, 'structures' | 'stations'> & {
  structures: number[]
  stations: number[]
  createdAt: number
  endedAt: number | null
}

export interface MaintenanceStore {
  /** Keeps a window and gives its number. */
  add(window: Omit<StoredMaintenance, 'id' | 'endedAt'>): Promise<number>

  /** Newest first; `since`: those that had not ended then. */
  list(query: { since?: number | undefined; limit: number }): Promise<StoredMaintenance[]>

  /**
   * Ends a window before its time; what has not begun never begins. False when there is none that
   * has not ended.
   */
  end(id: number, now: number): Promise<boolean>
}
