import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'

/** A record that was received and could not be stored. */
export type Reject = RejectOrigin & {
  /** The place in its origin, for people: a topic, a line number. */
  place: string
  /** Why it could not be stored, as a sentence. */
  reason: string
  /** The bytes as they were received. */
  payload: Uint8Array
  receivedAt: number
  /** The data that a replay needs beside the payload, in the form of its kind. */
  context?: string | undefined
}

/** A reject without the data that only a replay needs. */
export type ListedReject = Omit<Reject, 'kind' | 'source' | 'context'> & { id: number }

/** How many rejects are kept; a limit that is left out does not apply. */
export type RejectLimits = {
  /** The number of one origin. */
  records: number
  /** The bytes of one source, such as a data source or all files of a folder. */
  sourceBytes?: number
  /** The bytes of all sources. */
  bytes?: number
}

/** The number of rejects of a source that were dropped for newer ones. */
export type DroppedRejects = { source: string; dropped: number }

export interface RejectStore {
  /**
   * Stores rejects. Above a limit the oldest of the same source are dropped and counted; above `bytes`
   * those of the sources with the most bytes.
   */
  add(rejects: readonly Reject[], keep: RejectLimits): Promise<DroppedRejects[]>

  /** A reject with its context. */
  find(id: number): Promise<(Reject & { id: number }) | undefined>

  /** Rejects, newest first; `before` is the last id of the page before. */
  list(query: {
    origin?: string | undefined
    before?: number | undefined
    limit: number
  }): Promise<ListedReject[]>

  /** The counts of every origin that ever had a reject, in the order of their names. */
  count(): Promise<{ origin: string; kept: number; dropped: number }[]>

  /** Gives a reject another reason; one that was removed meanwhile stays removed. */
  changeReason(reject: Reject & { id: number }, reason: string): Promise<void>

  remove(ids: readonly number[]): Promise<{ removed: number }>
}
