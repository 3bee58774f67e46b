import type { AlarmDetail, AlarmOrder, AlarmStatus, OrderDirection } from '@plumbline/contract'
import type { AlarmState } from '../../domain/alarms/alarm-state.ts'

export type StoredAlarm = {
  id: number
  structure: number
  source: { id: string; name: string }
  /** 0 DTU, 1 sensor, 2 station. */
  sourceType: number
  /** 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  category: number
  alarmTypeCode: string
  level: number
  content: string
  count: number
  state: number
  /** Local date-time strings of the structure's zone. */
  startTime: string
  endTime: string
}

/** `all`, or the structures that a user may read. */
export type Scope = 'all' | readonly number[]

/** The conditions of a list, all of which an alarm has to meet. */
export type AlarmListFilter = {
  scope: Scope
  status?: AlarmStatus | undefined
  levels?: readonly number[] | undefined
  categories?: readonly number[] | undefined
  /** A window that the alarm has to overlap, as local date-time strings. */
  startTime?: string | undefined
  endTime?: string | undefined
  /** A part of the source's name or of the content, in either case. */
  keywords?: string | undefined
}

export type AlarmPage = {
  orderBy: AlarmOrder
  orderDirection: OrderDirection
  limit: number
  offset: number
}

export type OpenLevel = Pick<StoredAlarm, 'structure' | 'level'> & {
  source: string
  typeCode: string
}

export type AlarmQuery = AlarmListFilter & AlarmPage

/**
 * The version of the alarm states of a source, which grows with every change of them, and the writer of
 * the last change. A source whose alarms were never changed has version 0 of writer 0.
 */
export type AlarmVersion = { readonly version: number; readonly writer: number }

/** The alarm state of a type, and the alarm that it belongs to. */
type StoredAlarmState = {
  typeCode: string
  alarmId: number
  state: AlarmState
}

/** The alarm states of a source, one for each type, and their version. */
export type StoredAlarmStates = {
  source: string
  version: AlarmVersion
  states: StoredAlarmState[]
}

/** One change of one alarm. */
export type AlarmChange = {
  /** The alarm after the change. */
  alarm: Omit<StoredAlarm, 'id'>
  state: AlarmState
  /** Whether the change raises a new alarm: the earlier one of its source and type is closed. */
  isNew: boolean
  /** The transition for the details; `null` where only the alarm state changes. */
  detail: AlarmDetail | null
  /** Whether it follows from a late record, and is not notified. */
  isLate: boolean
  /** Whether a closed alarm is open again under its id. */
  isReopened?: boolean
}

/**
 * Bounds in instants, `above` excluded and `upTo` included, for the newest record of a station up to
 * the horizon that is not early.
 */
export type NewestBounds = { station: number; above: number; upTo: number; horizon: number }

/** An early record of a station, with the text that was evaluated. */
export type DueRecord = { station: number; time: number; record: string | null }

/**
 * Changes of alarms, in their order, with the versions and records that they were computed from.
 *
 * A write fails with a `ConflictError` (`alarms`) where these have changed since. A change raises the
 * version of its source, and of no other one.
 */
export type AlarmUpdate = {
  /** By source: each one whose states were read, and so each one that is changed. */
  at: ReadonlyMap<string, AlarmVersion>
  bounds: readonly NewestBounds[]
  changes: readonly AlarmChange[]
  /** Early records of the write: they are evaluated when their time has come. */
  early?: readonly { station: number; time: number; isNotified: boolean }[]
  /**
   * Early records that are evaluated now. The write fails with a `ConflictError` (`records`) where one
   * was evaluated already or has another text. `null` stands for a record that is not open.
   */
  due?: readonly DueRecord[]
  /** The number of the writer, which no other instance uses. */
  writer: number
  now: number
}

export interface AlarmStore {
  /** Counts the alarms of a scope. */
  count(scope: Scope, status: AlarmStatus): Promise<number>

  /** Counts the open alarms by level, up to a number of alarms. */
  countOpen(most: number): Promise<{ level: number; count: number }[]>

  /** A page of the matching alarms, ties ordered by id. `count` is the number of all matches. */
  list(query: AlarmQuery): Promise<{ count: number; alarms: StoredAlarm[] }>

  /** The structure of an alarm. */
  findStructure(id: number): Promise<number | undefined>

  /** The transitions of an alarm, oldest first. */
  listDetails(id: number): Promise<AlarmDetail[]>

  find(id: number): Promise<StoredAlarm | undefined>

  /** Whether an alarm exists and is open. */
  isOpen(id: number): Promise<boolean>

  /** Finds the open alarm of a source and type. */
  findOpen(source: string, typeCode: string): Promise<StoredAlarm | undefined>

  /** The structure, source, type and level of each open alarm, in no particular order. */
  listOpenLevels(): Promise<OpenLevel[]>

  /** The source and type of each open alarm, in no particular order. */
  listOpen(): Promise<{ source: string; typeCode: string }[]>

  /**
   * The alarm states of all sources, or of some, each source as it was at one moment. A source whose
   * alarms were never changed is left out: its version is 0, of writer 0.
   */
  loadStates(sources: 'all' | readonly string[]): Promise<StoredAlarmStates[]>

  /** Changes alarms, all or none; fails with a `ConflictError` (`alarms`) like a write of records. */
  write(alarms: AlarmUpdate): Promise<void>
}
