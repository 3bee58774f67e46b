import type { AlarmDetail, AlarmOrder, AlarmStatus, OrderDirection } from '@plumbline/contract'
import type { AlarmState } from '../../domain/alarms/alarm-lifecycle.ts'

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

/** `all`, or the structures a user may see. */
export type Scope = 'all' | readonly number[]

/** What narrows a list; all of it together. */
export type AlarmFilter = {
  scope: Scope
  status?: AlarmStatus | undefined
  levels?: readonly number[] | undefined
  categories?: readonly number[] | undefined
  /** Alarms whose span meets this window, as local date-time strings. */
  startTime?: string | undefined
  endTime?: string | undefined
  /** Part of the source's name or of the content, in either case. */
  keywords?: string | undefined
}

export type AlarmPage = {
  orderBy: AlarmOrder
  orderDirection: OrderDirection
  limit: number
  offset: number
}

export type AlarmQuery = AlarmFilter & AlarmPage

/** Where all alarms stand: it grows with every change, and says who made the last one. */
export type AlarmVersion = { version: number; writer: number }

/** The state of a source and type, and the alarm that it is about. */
export type StoredAlarmState = {
  source: string
  typeCode: string
  alarmId: number
  state: AlarmState
}

/** One change of one alarm. */
export type AlarmChange = {
  /** The alarm as it is served from now on. */
  alarm: Omit<StoredAlarm, 'id'>
  state: AlarmState
  /** Whether it is an alarm of its own, the earlier one of its source and type being closed. */
  isNew: boolean
  /** The transition that it lists; `null` where only the state changes. */
  detail: AlarmDetail | null
  /** Whether nobody is to be notified. */
  isLate: boolean
  /** The newest alarm of its source and type had ended, and is open again under its id. */
  isReopened?: boolean
}

/**
 * Bounds, in instants, within which the newest record of a station must lie: of those up to the
 * horizon that are not early.
 */
export type NewestBounds = { station: number; above: number; upTo: number; horizon: number }

/** Names a record of a station; its text is the one that was evaluated. */
export type DueRecord = { station: number; time: number; record: string | null }

/**
 * Changes of alarms, in their order, and what they were made from.
 *
 * A write is refused whole, with a `ConflictError` (`alarms`), when that is no longer so.
 */
export type AlarmUpdate = {
  at: AlarmVersion
  bounds: readonly NewestBounds[]
  changes: readonly AlarmChange[]
  /** Records of the write that are early: they are evaluated when their time has come. */
  early?: readonly { station: number; time: number; isNotified: boolean }[]
  /**
   * Early records that were evaluated now. The write is refused with a `ConflictError` (`records`) where one was
   * evaluated already, or has another text; `null` is one that does not lie in an open day.
   */
  due?: readonly DueRecord[]
  /** Who writes: a number of this engine's own. */
  writer: number
  now: number
}

export interface AlarmStore {
  /** Counts the alarms in a scope. */
  count(scope: Scope, status: AlarmStatus): Promise<number>

  /** A page of matching alarms; ties are ordered by id. `count` counts every match. */
  list(query: AlarmQuery): Promise<{ count: number; alarms: StoredAlarm[] }>

  /** The structure an alarm belongs to. */
  findStructure(id: number): Promise<number | undefined>

  /** The steps of an alarm, oldest first. */
  listDetails(id: number): Promise<AlarmDetail[]>

  find(id: number): Promise<StoredAlarm | undefined>

  /** Whether there is an open alarm of this id. */
  isOpen(id: number): Promise<boolean>

  /** Finds the open alarm of a source and type. */
  findOpen(source: string, typeCode: string): Promise<StoredAlarm | undefined>

  /** The alarm states that changed since a version, and the version they are of now. */
  loadStates(since: number): Promise<{ at: AlarmVersion; states: StoredAlarmState[] }>

  /** Changes alarms, all of it or nothing; refused with a `ConflictError` (`alarms`) like a write of records. */
  write(alarms: AlarmUpdate): Promise<void>

  /** Keeps alarms, each with its steps; an alarm of the same id is replaced. */
  put(alarms: readonly (StoredAlarm & { details: readonly AlarmDetail[] })[]): Promise<void>
}
