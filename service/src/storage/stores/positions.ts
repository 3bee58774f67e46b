/** How far a source has been read that is read on from where it ended. */
export interface PositionStore {
  find(name: string): Promise<string | undefined>

  set(name: string, position: string): Promise<void>

  /** In the order of their names, all of which come after `after`. */
  list(after: string, limit: number): Promise<{ name: string; position: string }[]>

  /** Removes a position that is still the one that is given. */
  remove(name: string, position: string): Promise<void>
}
