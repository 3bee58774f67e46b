import { putTexts, SOURCE_NAME_ID, TEMPLATE_ID, toSeconds } from './alarm-rows.ts'
import type { Statement } from './engine.ts'
import { splitContent } from '../../domain/alarms/content-template.ts'
import type { AlarmChange, AlarmUpdate } from '../storage.ts'

/** What a write makes of one alarm: as it is afterwards, and its steps so far. */
type Changed = {
  /** Among the new alarms of the write; undefined where the alarm was there before. */
  place: number | undefined
  /** An ended alarm is not found by being open, also where the write opens it again. */
  wasOpen: boolean
  alarm: AlarmChange['alarm']
  state: AlarmChange['state']
  steps: number
}

const isMade = ({ place }: Changed): boolean => place !== undefined

/** A step of an alarm in this write, from 0 on. */
type Step = {
  of: Changed
  step: number
  detail: NonNullable<AlarmChange['detail']>
  isLate: boolean
}

/**
 * The changes of one write, gathered by alarm: each alarm and alarm state is written once, as the last
 * change leaves it, each step and notice in its order.
 *
 * A logger that flutters over a threshold raises and ends tens of thousands of alarms in one write.
 */
export class ChangedAlarms {
  readonly #writer: number
  readonly #version: number
  readonly #now: number
  /** The newest alarm of each source and type. */
  readonly #newest = new Map<string, Changed>()
  readonly #known: Changed[] = []
  readonly #new: Changed[] = []
  readonly #steps: Step[] = []

  constructor({ at, writer, now }: Pick<AlarmUpdate, 'at' | 'writer' | 'now'>) {
    this.#writer = writer
    this.#version = at.version + 1
    this.#now = now
  }

  readonly add = (change: AlarmChange): void => {
    const { alarm, state, isNew, detail, isLate, isReopened = false } = change
    const key = `${alarm.alarmTypeCode} ${alarm.source.id}`
    let of = this.#newest.get(key)
    if (isNew || of === undefined) {
      const wasOpen = !isReopened && (detail !== null || state.stateCode < FIRST_CLOSED_STATE)
      of = { place: isNew ? this.#new.length : undefined, wasOpen, alarm, state, steps: 0 }
      this.#newest.set(key, of)
      if (isNew) this.#new.push(of)
      else this.#known.push(of)
    }
    of.state = state
    if (detail === null) return
    of.alarm = alarm
    this.#steps.push({ of, step: of.steps++, detail, isLate })
  }

  /** What is run for all changes, after the guards of the write. */
  statements(): Statement[] {
    if (this.#newest.size === 0) return []
    const version = this.#version
    const fromLast = ({ place }: Changed): number | null =>
      place === undefined ? null : this.#new.length - 1 - place
    const stepped = [...this.#known.filter(({ steps }) => steps > 0), ...this.#new]
    return [
      ...putTexts(stepped.map(({ alarm }) => alarm)),
      {
        sql: `update alarm_version set version = ?, writer = ?`,
        width: 2,
        values: [version, this.#writer],
        expected: 1,
      },
      ...inRows(
        PUT_STATE_OF_OPEN,
        this.#known.filter(({ wasOpen }) => wasOpen),
        ({ alarm, state }) => [...keyOf(alarm), ...keyOf(alarm), JSON.stringify(state), version],
      ),
      ...inRows(
        UPDATE_STATE,
        this.#known.filter(({ wasOpen }) => !wasOpen),
        ({ alarm, state }) => [JSON.stringify(state), version, ...keyOf(alarm)],
      ),
      // Alarms that end make room for those of the same source and type that begin.
      ...inRows(
        UPDATE_ALARM,
        this.#known.filter(({ steps }) => steps > 0),
        ({ alarm }) => [...changing(alarm), ...keyOf(alarm)],
      ),
      ...inRowsTogether(INSERT_ALARM, this.#new, ({ alarm }) => [
        ...lasting(alarm),
        ...changing(alarm),
      ]),
      ...inRows(
        INSERT_STEP_OF_KNOWN,
        this.#steps.filter(({ of }) => !isMade(of)),
        ({ of, detail }) => [...said(detail), ...keyOf(of.alarm)],
      ),
      ...inRowsTogether(
        INSERT_STEP_OF_NEW,
        this.#steps.filter(({ of }) => isMade(of)),
        ({ of, step, detail }) => [fromLast(of), step, ...said(detail)],
      ),
      ...inRowsTogether(INSERT_NOTICE, this.#steps, ({ of, step, isLate }) => [
        fromLast(of),
        ...keyOf(of.alarm),
        isMade(of) ? step : null,
        ...keyOf(of.alarm),
        of.steps - 1 - step,
        isLate ? 1 : 0,
        this.#now,
      ]),
      ...inRows(PUT_STATE_OF_NEW, this.#newest.values().filter(isMade).toArray(), (changed) => [
        ...keyOf(changed.alarm),
        fromLast(changed),
        JSON.stringify(changed.state),
        version,
      ]),
    ]
  }
}

/** States 0 to 2 of an alarm are open. */
const FIRST_CLOSED_STATE = 3

/** Run for each of some things, each time one row has to change; nothing where there is none. */
function inRows<Thing>(
  sql: string,
  things: readonly Thing[],
  toRow: (thing: Thing) => readonly unknown[],
): Statement[] {
  if (things.length === 0) return []
  const at = (index: number) => toRow(things[index]!)
  const count = things.length
  return [{ sql, width: at(0).length, values: [], rows: { count, at }, expected: count }]
}

/** The same for rows that do not hang on each other. */
function inRowsTogether<Thing>(
  { into, row }: { into: string; row: string },
  things: readonly Thing[],
  toRow: (thing: Thing) => readonly unknown[],
): Statement[] {
  const sql = `insert into ${into} values ${row}`
  return inRows(sql, things, toRow).map((one) => ({ ...one, repeated: row }))
}

const keyOf = ({ source, alarmTypeCode }: AlarmChange['alarm']): [string, string] => [
  source.id,
  alarmTypeCode,
]

const lasting = (alarm: AlarmChange['alarm']): unknown[] => [
  alarm.structure,
  alarm.source.id,
  alarm.sourceType,
  alarm.category,
  alarm.alarmTypeCode,
]

/** In the order of their columns in `INSERT_ALARM` and `UPDATE_ALARM`. */
const changing = ({ source, level, content, ...alarm }: AlarmChange['alarm']): unknown[] => {
  const { template, numbers } = splitContent(content)
  const times = [toSeconds(alarm.startTime), toSeconds(alarm.endTime)]
  return [source.name, level, template, numbers, alarm.count, alarm.state, ...times]
}

const said = ({ sponsor, alarmCode, alarmState, currentLevel, content, time }: Step['detail']) => [
  sponsor,
  alarmCode,
  alarmState,
  currentLevel,
  content,
  time,
]

const NEWEST_ALARM = `(select alarm_id from alarm_states where source_id = ? and type_code = ?)`

/** Those that this write has made are the last ones, one number after the other. */
const MADE = `((select max(id) from alarms) - ?)`

const UPDATE_ALARM = `update alarms set source_name_id = ${SOURCE_NAME_ID}, level = ?,
    template_id = ${TEMPLATE_ID}, numbers = ?, count = ?, state = ?, start_time = ?, end_time = ?
  where id = ${NEWEST_ALARM}`

const INSERT_ALARM = {
  into: `alarms (structure_id, source_id, source_type, category, type_code,
    source_name_id, level, template_id, numbers, count, state, start_time, end_time)`,
  row: `(?, ?, ?, ?, ?, ${SOURCE_NAME_ID}, ?, ${TEMPLATE_ID}, ?, ?, ?, ?, ?)`,
}

const INSERT_STEP_OF_KNOWN = `insert into alarm_details
    (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)
  select alarm_id, coalesce((select max(step) + 1 from alarm_details
      where alarm_details.alarm_id = alarm_states.alarm_id), 0), ?, ?, ?, ?, ?, ?
    from alarm_states where source_id = ? and type_code = ?`

const INSERT_STEP_OF_NEW = {
  into: `alarm_details
    (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)`,
  row: `(${MADE}, ?, ?, ?, ?, ?, ?, ?)`,
}

const INSERT_NOTICE = {
  into: `outbox (alarm_id, step, is_late, created_at)`,
  row: `(coalesce(${MADE}, ${NEWEST_ALARM}), coalesce(?, (select max(step) from alarm_details
    where alarm_id = ${NEWEST_ALARM}) - ?), ?, ?)`,
}

const UPDATE_STATE = `update alarm_states set state = ?, version = ? where source_id = ? and type_code = ?`

const putState = (alarm: string): string => `insert into alarm_states
    (source_id, type_code, alarm_id, state, version) values (?, ?, ${alarm}, ?, ?)
  on conflict (source_id, type_code) do update
  set alarm_id = excluded.alarm_id, state = excluded.state, version = excluded.version`

const PUT_STATE_OF_OPEN = putState(
  `(select id from alarms where source_id = ? and type_code = ? and state < 3)`,
)

const PUT_STATE_OF_NEW = putState(MADE)
