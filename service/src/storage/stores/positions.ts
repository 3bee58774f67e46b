/** Keeps how far watched files have been read. */
export interface PositionStore {
  find(name: string): Promise<string | undefined>

  set(name: string, position: string): Promise<void>

  /** Positions whose names come after `after`, in the order of their names. */
  list(after: string, limit: number): Promise<{ name: string; position: string }[]>

  /** Removes a position unless it has changed. */
  remove(name: string, position: string): Promise<void>
}
