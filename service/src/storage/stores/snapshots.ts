/** A picture that a camera is to take of an alarm. */
export type NewSnapshot = {
  alarm: number
  camera: number
  /** The instant at which the alarm was stored. */
  dueAt: number
}

export type WaitingSnapshot = NewSnapshot & { id: number }

export type AlarmSnapshot = {
  id: number
  camera: number
  /** The instant of its picture; null while it waits, and where there is none. */
  takenAt: number | null
  /** Why there is no picture; null while it waits, and where there is one. */
  problem: string | null
}

/** Pictures that cameras take of alarms. The outbox adds them as it plans deliveries. */
export interface SnapshotStore {
  /** The oldest snapshots that wait for a picture, at most `limit`. */
  listWaiting(limit: number): Promise<WaitingSnapshot[]>

  /** Gives waiting snapshots one picture, a JPEG; those that have ended meanwhile stay as they are. */
  take(
    snapshots: readonly WaitingSnapshot[],
    picture: { camera: number; takenAt: number; jpeg: Uint8Array },
  ): Promise<void>

  /** Ends waiting snapshots without a picture. */
  giveUp(
    snapshots: readonly WaitingSnapshot[],
    reason: { at: number; problem: string },
  ): Promise<void>

  /** The snapshots of an alarm, oldest first. */
  list(alarm: number): Promise<AlarmSnapshot[]>

  /** The picture of a snapshot of an alarm, a JPEG; undefined where there is none. */
  findPicture(alarm: number, snapshot: number): Promise<Uint8Array | undefined>
}
