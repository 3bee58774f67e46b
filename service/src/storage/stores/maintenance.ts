import type { MaintenanceWindow } from '../../domain/notifications/maintenance-window.ts'

export type StoredMaintenance = Omit<MaintenanceWindow, 'structures' | 'stations'> & {
  structures: number[]
  stations: number[]
  createdAt: number
  endedAt: number | null
}

export interface MaintenanceStore {
  /** Stores a window; returns its id. */
  add(window: Omit<StoredMaintenance, 'id' | 'endedAt'>): Promise<number>

  /** Windows, newest first; with `since` those that end at this instant or later. */
  list(query: { since?: number | undefined; limit: number }): Promise<StoredMaintenance[]>

  /**
   * Ends a window early; one that has not begun never begins. False where no such window is still to
   * end.
   */
  end(id: number, now: number): Promise<boolean>
}
