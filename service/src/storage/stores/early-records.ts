/** The kind of records of a source. */
export type EarlyKind = 'theme' | 'raw' | 'traffic' | 'vibration' | 'heartbeat'

/** A source that sends records ahead of the clock of the service. */
export type EarlySource = {
  kind: EarlyKind
  /** Id of the station, sensor, structure or device. */
  source: string
  /** The instants at which its first early record after a day without any arrived, and its last one. */
  since: number
  lastAt: number
  /** The latest instant of an early record. */
  through: number
  /** How far an early record was ahead of the clock at most, in milliseconds. */
  lead: number
}

/** An early record of a station; its text is undefined where it was deleted. */
export type EarlyRecord = {
  station: number
  time: number
  isNotified: boolean
  record: string | undefined
  /** Whether it is in a sealed day, where it cannot change without a correction. */
  isSealed: boolean
}

export interface EarlyRecordStore {
  /** Stores how far records of sources are ahead of `now`. */
  noteSources(
    sources: readonly Pick<EarlySource, 'kind' | 'source' | 'through'>[],
    now: number,
  ): Promise<void>

  /** The sources in the order of their kinds and ids. */
  listSources(): Promise<EarlySource[]>

  /** Deletes sources without early records for a day; those of raw data after a month. */
  expireSources(now: number): Promise<void>

  /** The early records of stations up to a horizon, in the order of their instants. */
  listDue(horizon: number, limit: number): Promise<EarlyRecord[]>

  /** Counts the early records of stations. */
  countWaiting(): Promise<number>
}
