/** What kind of record a source sends: station values, raw values, vehicles, waveforms, heartbeats. */
export type EarlyKind = 'theme' | 'raw' | 'traffic' | 'vibration' | 'heartbeat'

/** A source whose records lie ahead of the clock of the service. */
export type EarlySource = {
  kind: EarlyKind
  /** Id of the station, sensor, structure or device. */
  source: string
  /** When the first of its early records came in without a day's pause since, and the last one. */
  since: number
  lastAt: number
  /** The latest time that one of them has. */
  through: number
  /** How far ahead it was at most since then, in milliseconds. */
  lead: number
}

/** An early record of a station; without a text there is none any more. */
export type EarlyRecord = {
  station: number
  time: number
  isNotified: boolean
  record: string | undefined
  /** Whether it lies in a sealed day, which nobody corrects unseen. */
  isSealed: boolean
}

export interface EarlyRecordStore {
  /** Notes up to which time records of sources lie ahead of `now`. */
  noteSources(
    sources: readonly Pick<EarlySource, 'kind' | 'source' | 'through'>[],
    now: number,
  ): Promise<void>

  /** The sources in the order of their kinds and ids. */
  listSources(): Promise<EarlySource[]>

  /** Forgets sources that have sent nothing early for a day, those of raw values after a month. */
  expireSources(now: number): Promise<void>

  /** Early records of stations whose time has come by an instant, in the order of their times. */
  listDue(horizon: number, limit: number): Promise<EarlyRecord[]>

  /** How many records of stations are early. */
  countWaiting(): Promise<number>
}
