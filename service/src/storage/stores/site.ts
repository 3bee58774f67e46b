import type { SiteEntry } from '../../domain/site/site-entry.ts'

export type StoredSite = {
  /** Grows with every applied change. */
  version: number
  entries: SiteEntry[]
  /** The groups of stations that are in no named group, with their lasting ids. */
  defaultGroups: { id: number; structure: number; factor: number }[]
  /** The number by which raw records know each sensor, by its uuid. */
  sensorKeys: ReadonlyMap<string, number>
}

export type SiteChanges = {
  /** Entries to add or replace, in their lasting order. */
  put: readonly SiteEntry[]
  remove: readonly SiteEntry[]
  /** Whether records of removed stations and devices go too. */
  withRecords: boolean
  /** When given, applications of users that the site no longer has are revoked with this time. */
  revokeAt?: number
}

export interface SiteStore {
  version(): Promise<number>

  load(): Promise<StoredSite>

  /** Applies all changes or none; false when the site is no longer at `baseVersion`. */
  apply(changes: SiteChanges, baseVersion: number): Promise<boolean>

  /** Those of the given stations, sensors and structures that records are kept of. */
  findHoldings(sources: Holdings): Promise<Holdings>
}

export type Holdings = { stations: number[]; sensors: string[]; structures: number[] }
