import type { SiteEntry } from '../../domain/site/site-entry.ts'

export type StoredSite = {
  /** Grows with every applied change. */
  version: number
  entries: SiteEntry[]
  /** The groups of stations that are in no named group, with their permanent ids. */
  defaultGroups: { id: number; structure: number; factor: number }[]
  /** The key of each sensor in raw records, by its uuid. */
  sensorKeys: ReadonlyMap<string, number>
}

export type SiteChanges = {
  /** Entries to add or replace, in the order in which they are listed. */
  put: readonly SiteEntry[]
  remove: readonly SiteEntry[]
  /** Whether the records of removed stations, devices and structures are deleted too. */
  withRecords: boolean
  /** The time with which applications of removed users are revoked; without it none is. */
  revokeAt?: number
  /** The change of records that ends with this one, and when. */
  finishes?: { change: number; now: number } | undefined
}

export interface SiteStore {
  version(): Promise<number>

  load(): Promise<StoredSite>

  /** Applies all changes or none; false where the site has another version than `baseVersion`. */
  apply(changes: SiteChanges, baseVersion: number): Promise<boolean>

  /** The given stations, sensors and structures that have records. */
  findHoldings(sources: Holdings): Promise<Holdings>
}

export type Holdings = { stations: number[]; sensors: string[]; structures: number[] }
