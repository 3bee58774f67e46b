import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'

/** A record that came in and could not be stored. */
export type Reject = RejectOrigin & {
  /** What it is called there, for people: a topic, a line number. */
  place: string
  /** The sentence that says why. */
  reason: string
  /** The bytes as they came. */
  payload: Uint8Array
  receivedAt: number
  /** What a replay needs beside the payload, in the form of its kind. */
  context?: string | undefined
}

/** A reject without what only a replay needs. */
export type ListedReject = Omit<Reject, 'kind' | 'source' | 'context'> & { id: number }

/** How many rejected records are kept; a bound that is left out does not bound. */
export type RejectLimits = {
  /** Of one origin. */
  records: number
  /** Bytes of one source: of a way in, or of all files of a folder. */
  sourceBytes?: number
  /** Bytes in all. */
  bytes?: number
}

/** Rejected records of a source that gave way to newer ones. */
export type DroppedRejects = { source: string; dropped: number }

export interface RejectStore {
  /**
   * Keeps rejects; beyond what is kept the oldest of the same source give way, and are counted.
   *
   * Where all sources together have too many bytes, those that have most give way.
   */
  add(rejects: readonly Reject[], keep: RejectLimits): Promise<DroppedRejects[]>

  /** A refusal with its context. */
  find(id: number): Promise<(Reject & { id: number }) | undefined>

  /** Newest first; `before` is the last id of the page above. */
  list(query: {
    origin?: string | undefined
    before?: number | undefined
    limit: number
  }): Promise<ListedReject[]>

  /** Every origin that ever had one, in the order of their names. */
  count(): Promise<{ origin: string; kept: number; dropped: number }[]>

  remove(ids: readonly number[]): Promise<{ removed: number }>
}
