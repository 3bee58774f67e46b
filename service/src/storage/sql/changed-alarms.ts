import { putTexts, SOURCE_NAME_ID, TEMPLATE_ID, toSeconds } from './alarm-rows.ts'
import type { Dialect } from './dialect.ts'
import type { SetStatement, Statement } from './statement.ts'
import { isOpen } from '../../domain/alarms/alarm-state.ts'
import { splitContent } from '../../domain/alarms/content-template.ts'
import { raiseVersions } from './alarm-versions.ts'
import type { AlarmChange, AlarmUpdate } from '../stores/alarms.ts'

/** An alarm as the write leaves it. */
type ChangedAlarm = {
  /** The index among the new alarms of the write; undefined for an alarm that existed before. */
  index: number | undefined
  /** Whether it was open before: the statements find an open alarm in another way. */
  wasOpen: boolean
  alarm: AlarmChange['alarm']
  state: AlarmChange['state']
  /** The number of its transitions in this write. */
  steps: number
}

const isNewAlarm = ({ index }: ChangedAlarm): boolean => index !== undefined

/** A transition of an alarm in this write. */
type NewTransition = {
  changed: ChangedAlarm
  /** Counted from 0 in this write. */
  step: number
  detail: NonNullable<AlarmChange['detail']>
  isLate: boolean
}

/**
 * The changes of one write by alarm: each alarm and alarm state is written once, as the last change
 * leaves it, and each transition and outbox entry in its order.
 *
 * One write can have tens of thousands of alarms of one source: values that flutter around a threshold.
 */
export class ChangedAlarms {
  readonly #at: AlarmUpdate['at']
  readonly #writer: number
  readonly #now: number
  /** The newest alarm of each source and type. */
  readonly #newest = new Map<string, ChangedAlarm>()
  readonly #existing: ChangedAlarm[] = []
  readonly #new: ChangedAlarm[] = []
  readonly #transitions: NewTransition[] = []
  readonly #newAlarms: Dialect['newAlarms']

  constructor(
    { at, writer, now }: Pick<AlarmUpdate, 'at' | 'writer' | 'now'>,
    newAlarms: Dialect['newAlarms'],
  ) {
    this.#newAlarms = newAlarms
    this.#at = at
    this.#writer = writer
    this.#now = now
  }

  readonly add = (change: AlarmChange): void => {
    const { alarm, state, isNew, detail, isLate, isReopened = false } = change
    const key = `${alarm.alarmTypeCode} ${alarm.source.id}`
    let changed = this.#newest.get(key)
    if (isNew || changed === undefined) {
      const wasOpen = !isReopened && (detail !== null || isOpen(state))
      changed = { index: isNew ? this.#new.length : undefined, wasOpen, alarm, state, steps: 0 }
      this.#newest.set(key, changed)
      if (isNew) this.#new.push(changed)
      else this.#existing.push(changed)
    }
    changed.state = state
    if (detail === null) return
    changed.alarm = alarm
    this.#transitions.push({ changed, step: changed.steps++, detail, isLate })
  }

  /** The statements of all changes; they run after the guards of the write. */
  statements(): Statement[] {
    if (this.#newest.size === 0) return []
    const { id } = this.#newAlarms
    const fromLast = ({ index }: ChangedAlarm): number | null =>
      index === undefined ? null : this.#new.length - 1 - index
    const stepped = [...this.#existing.filter(({ steps }) => steps > 0), ...this.#new]
    return [
      ...putTexts(stepped.map(({ alarm }) => alarm)),
      raiseVersions(this.#sources(), this.#at, this.#writer),
      ...inRows(
        PUT_STATE_OF_OPEN,
        this.#existing.filter(({ wasOpen }) => wasOpen),
        ({ alarm, state }) => [...keyOf(alarm), ...keyOf(alarm), JSON.stringify(state)],
        PUT_STATES_OF_OPEN,
      ),
      ...inRows(
        UPDATE_STATE,
        this.#existing.filter(({ wasOpen }) => !wasOpen),
        ({ alarm, state }) => [JSON.stringify(state), ...keyOf(alarm)],
        UPDATE_STATES,
      ),
      // Before the inserts: of a source and type, the index takes one open alarm at a time.
      ...inRows(
        UPDATE_ALARM,
        this.#existing.filter(({ steps }) => steps > 0),
        ({ alarm }) => [...changingColumns(alarm), ...keyOf(alarm)],
        UPDATE_ALARMS,
      ),
      ...this.#insertAlarms(fromLast),
      ...inRows(
        INSERT_STEP_OF_EXISTING,
        this.#transitions.filter(({ changed }) => !isNewAlarm(changed)),
        ({ changed, detail }) => [...detailColumns(detail), ...keyOf(changed.alarm)],
        INSERT_STEPS_OF_EXISTING,
      ),
      ...inRowsTogether(
        insertStepOfNew(id),
        this.#transitions.filter(({ changed }) => isNewAlarm(changed)),
        ({ changed, step, detail }) => [fromLast(changed), step, ...detailColumns(detail)],
        insertStepsOfNew(id),
      ),
      ...inRowsTogether(
        insertOutboxEntry(id),
        this.#transitions,
        ({ changed, step, isLate }) => [
          fromLast(changed),
          ...keyOf(changed.alarm),
          isNewAlarm(changed) ? step : null,
          ...keyOf(changed.alarm),
          changed.steps - 1 - step,
          isLate ? 1 : 0,
          this.#now,
        ],
        insertOutboxEntries(id),
      ),
      ...inRows(
        putState(id),
        this.#newest.values().filter(isNewAlarm).toArray(),
        (changed) => [...keyOf(changed.alarm), fromLast(changed), JSON.stringify(changed.state)],
        putStatesOfNew(id),
      ),
    ]
  }

  /** Inserts the new alarms; their ids follow each other in the order of the changes. */
  #insertAlarms(fromLast: (changed: ChangedAlarm) => number | null): Statement[] {
    const { id, reserve } = this.#newAlarms
    if (reserve === undefined)
      return inRowsTogether(INSERT_ALARM, this.#new, ({ alarm }) => columnsOf(alarm))
    if (this.#new.length === 0) return []
    const { into, row } = INSERT_ALARM
    const withId = { into: into.replace('(', '(id, '), row: row.replace('(', `(${id}, `) }
    return [
      reserve(this.#new.length),
      ...inRowsTogether(
        withId,
        this.#new,
        (changed) => [fromLast(changed), ...columnsOf(changed.alarm)],
        insertAlarms(id),
      ),
    ]
  }

  /** The sources that are changed, each once. */
  #sources(): ReadonlySet<string> {
    return new Set(this.#newest.values().map(({ alarm }) => alarm.source.id))
  }
}

/** A statement with a row of values for each item, each of which has to change one row. */
function inRows<Item>(
  sql: string,
  items: readonly Item[],
  toRow: (item: Item) => readonly unknown[],
  set?: SetStatement,
): Statement[] {
  const [first] = items
  if (first === undefined) return []
  const count = items.length
  const slice = (from: number, to: number) => items.slice(from, to).map(toRow)
  const rows = { count, slice }
  const width = toRow(first).length
  return [{ sql, width, values: [], rows, expected: count, ...(set && { set }) }]
}

/** The same for rows that are independent of each other. */
function inRowsTogether<Item>(
  { into, row }: { into: string; row: string },
  items: readonly Item[],
  toRow: (item: Item) => readonly unknown[],
  set?: SetStatement,
): Statement[] {
  const sql = `insert into ${into} values ${row}`
  return inRows(sql, items, toRow, set).map((one) => ({ ...one, repeated: row }))
}

const keyOf = ({ source, alarmTypeCode }: AlarmChange['alarm']): [string, string] => [
  source.id,
  alarmTypeCode,
]

const columnsOf = (alarm: AlarmChange['alarm']): unknown[] => [
  ...fixedColumns(alarm),
  ...changingColumns(alarm),
]

const fixedColumns = (alarm: AlarmChange['alarm']): unknown[] => [
  alarm.structure,
  alarm.source.id,
  alarm.sourceType,
  alarm.category,
  alarm.alarmTypeCode,
]

/** In the order of their columns in `INSERT_ALARM` and `UPDATE_ALARM`. */
const changingColumns = ({ source, level, content, ...alarm }: AlarmChange['alarm']): unknown[] => {
  const { template, numbers } = splitContent(content)
  const times = [toSeconds(alarm.startTime), toSeconds(alarm.endTime)]
  return [source.name, level, template, numbers, alarm.count, alarm.state, ...times]
}

const detailColumns = ({
  sponsor,
  alarmCode,
  alarmState,
  currentLevel,
  content,
  time,
}: NewTransition['detail']) => [sponsor, alarmCode, alarmState, currentLevel, content, time]

const NEWEST_ALARM = `(select alarm_id from alarm_states where source_id = ? and type_code = ?)`

const UPDATE_ALARM = `update alarms set source_name_id = ${SOURCE_NAME_ID}, level = ?,
    template_id = ${TEMPLATE_ID}, numbers = ?, count = ?, state = ?, start_time = ?, end_time = ?
  where id = ${NEWEST_ALARM}`

const INSERT_ALARM = {
  into: `alarms (structure_id, source_id, source_type, category, type_code,
    source_name_id, level, template_id, numbers, count, state, start_time, end_time)`,
  row: `(?, ?, ?, ?, ?, ${SOURCE_NAME_ID}, ?, ${TEMPLATE_ID}, ?, ?, ?, ?, ?)`,
}

const INSERT_STEP_OF_EXISTING = `insert into alarm_details
    (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)
  select alarm_id, coalesce((select max(step) + 1 from alarm_details
      where alarm_details.alarm_id = alarm_states.alarm_id), 0), ?, ?, ?, ?, ?, ?
    from alarm_states where source_id = ? and type_code = ?`

const insertStepOfNew = (id: string) => ({
  into: `alarm_details
    (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)`,
  row: `(${id}, ?, ?, ?, ?, ?, ?, ?)`,
})

const insertOutboxEntry = (id: string) => ({
  into: `outbox (alarm_id, step, is_late, created_at)`,
  row: `(coalesce(${id}, ${NEWEST_ALARM}), coalesce(?, (select max(step) from alarm_details
    where alarm_id = ${NEWEST_ALARM}) - ?), ?, ?)`,
})

const UPDATE_STATE = `update alarm_states set state = ? where source_id = ? and type_code = ?`

const putState = (alarm: string): string => `insert into alarm_states
    (source_id, type_code, alarm_id, state) values (?, ?, ${alarm}, ?)
  on conflict (source_id, type_code) do update
  set alarm_id = excluded.alarm_id, state = excluded.state`

const PUT_STATE_OF_OPEN = putState(
  `(select id from alarms where source_id = ? and type_code = ? and state < 3)`,
)

/** The newest alarm of each source and type that is given in two columns. */
const givenNewest = (source: string, typeCode: string): string =>
  `@given join alarm_states as newest
    on newest.source_id = ${source} and newest.type_code = ${typeCode}`

const nameId = (column: string): string =>
  `(select id from alarm_source_names where name = ${column})`

const templateId = (column: string): string =>
  `(select id from alarm_templates where template = ${column})`

const UPDATE_ALARMS: SetStatement = {
  sql: `update alarms set source_name_id = ${nameId('c1')}, level = c2, template_id = ${templateId('c3')},
      numbers = c4, count = c5, state = c6, start_time = c7, end_time = c8
    from ${givenNewest('c9', 'c10')} where alarms.id = newest.alarm_id`,
  types: [
    ...(['text', 'bigint', 'text', 'text', 'bigint'] as const),
    ...(['bigint', 'bigint', 'bigint', 'text', 'text'] as const),
  ],
}

const insertAlarms = (id: string): SetStatement => ({
  sql: `insert into alarms (id, structure_id, source_id, source_type, category, type_code,
      source_name_id, level, template_id, numbers, count, state, start_time, end_time)
    select ${ofColumn(id, 'c1')}, c2, c3, c4, c5, c6, ${nameId('c7')}, c8, ${templateId('c9')},
      c10, c11, c12, c13, c14 from @given`,
  types: [
    ...(['bigint', 'bigint', 'text', 'bigint', 'bigint', 'text', 'text'] as const),
    ...(['bigint', 'text', 'text', 'bigint', 'bigint', 'bigint', 'bigint'] as const),
  ],
})

const DETAIL_TYPES = ['text', 'text', 'bigint', 'bigint', 'text', 'text'] as const

const INTO_STEPS = `insert into alarm_details
  (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)`

const INSERT_STEPS_OF_EXISTING: SetStatement = {
  sql: `${INTO_STEPS} select newest.alarm_id, coalesce((select max(step) + 1
        from alarm_details as known where known.alarm_id = newest.alarm_id), 0)
      + row_number() over (partition by newest.alarm_id order by given.at) - 1,
      c1, c2, c3, c4, c5, c6 from ${givenNewest('c7', 'c8')}`,
  types: [...DETAIL_TYPES, 'text', 'text'],
}

const insertStepsOfNew = (id: string): SetStatement => ({
  sql: `${INTO_STEPS} select ${ofColumn(id, 'c1')}, c2, c3, c4, c5, c6, c7, c8 from @given`,
  types: ['bigint', 'bigint', ...DETAIL_TYPES],
})

/** Their ids follow each other in the order of the transitions. */
const insertOutboxEntries = (id: string): SetStatement => ({
  sql: `insert into outbox (alarm_id, step, is_late, created_at)
    select coalesce(${ofColumn(id, 'c1')}, newest.alarm_id),
      coalesce(c4, (select max(step) from alarm_details
        where alarm_details.alarm_id = newest.alarm_id) - c7), c8, c9
    from @given left join alarm_states as newest
      on c1 is null and newest.source_id = c2 and newest.type_code = c3
    order by given.at`,
  types: ['bigint', 'text', 'text', 'bigint', 'text', 'text', 'bigint', 'bigint', 'bigint'],
})

const UPDATE_STATES: SetStatement = {
  sql: `update alarm_states set state = c1 from @given where source_id = c2 and type_code = c3`,
  types: ['text', 'text', 'text'],
}

const REPLACING = `on conflict (source_id, type_code) do update
  set alarm_id = excluded.alarm_id, state = excluded.state`

const PUT_STATES_OF_OPEN: SetStatement = {
  sql: `insert into alarm_states (source_id, type_code, alarm_id, state)
    select c1, c2, (select id from alarms
      where alarms.source_id = c3 and alarms.type_code = c4 and alarms.state < 3), c5
    from @given ${REPLACING}`,
  types: ['text', 'text', 'text', 'text', 'text'],
}

const putStatesOfNew = (id: string): SetStatement => ({
  sql: `insert into alarm_states (source_id, type_code, alarm_id, state)
    select c1, c2, ${ofColumn(id, 'c3')}, c4 from @given ${REPLACING}`,
  types: ['text', 'text', 'bigint', 'text'],
})

/** The expression of an id with a column in place of its parameter. */
const ofColumn = (id: string, column: string): string => id.replace('?', column)
