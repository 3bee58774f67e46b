import type { AlarmState } from '../domain/alarms/alarm-state.ts'
import type { RuleStates } from '../domain/alarms/rules/rule.ts'
import type { AlarmChange, AlarmVersion, Storage } from '../storage/storage.ts'

/** The alarm states of a station or device between two records. */
export type EvaluationState = {
  readonly source: string
  /** The newest alarm of each type. */
  readonly alarmStates: Map<string, AlarmState>
  /** The instant of the newest record, `null` for none; undefined until it is looked up. */
  newest: number | null | undefined
  /** The states of its rules after the newest record; undefined until they are rebuilt. */
  ruleStates: RuleStates | undefined
}

/**
 * The states of all alarms after every write under way.
 *
 * When a write fails they are wrong: they are invalidated and read again.
 */
export class AlarmStates {
  readonly #store: Storage['alarms']
  readonly #sources = new Map<string, EvaluationState>()
  /** The states before the changes since the last read. */
  readonly #before = new Map<EvaluationState, Map<string, AlarmState | undefined>>()
  #readVersion = -1
  #version: AlarmVersion | undefined

  constructor(store: Storage['alarms']) {
    this.#store = store
  }

  /** The version that writes are computed from; undefined until the states are read. */
  get version(): AlarmVersion | undefined {
    return this.#version
  }

  of(source: string): EvaluationState {
    return this.#sources.getOrInsertComputed(source, newState)
  }

  all(): Iterable<EvaluationState> {
    return this.#sources.values()
  }

  /** Applies the changes of a write by `writer` that is under way. */
  advance(changes: readonly AlarmChange[], writer: number): void {
    if (changes.length === 0 || this.#version === undefined) return
    for (const { alarm, state } of changes)
      this.#set(this.of(alarm.source.id), alarm.alarmTypeCode, state)
    this.#version = { version: this.#version.version + 1, writer }
  }

  #set(source: EvaluationState, typeCode: string, state: AlarmState): void {
    const before = this.#before.getOrInsertComputed(source, () => new Map())
    if (!before.has(typeCode)) before.set(typeCode, source.alarmStates.get(typeCode))
    source.alarmStates.set(typeCode, state)
  }

  invalidate(): void {
    this.#version = undefined
  }

  /** Reads the changes since the last read; no write of this process may be under way. */
  async read(): Promise<void> {
    const { at, states } = await this.#store.loadStates(this.#readVersion)
    for (const [source, before] of this.#before)
      for (const [typeCode, state] of before)
        if (state === undefined) source.alarmStates.delete(typeCode)
        else source.alarmStates.set(typeCode, state)
    this.#before.clear()
    for (const { source, typeCode, state } of states)
      this.of(source).alarmStates.set(typeCode, state)
    for (const source of this.#sources.values()) {
      source.newest = undefined
      source.ruleStates = undefined
    }
    this.#readVersion = at.version
    this.#version = at
  }
}

const newState = (source: string): EvaluationState => ({
  source,
  alarmStates: new Map(),
  newest: undefined,
  ruleStates: undefined,
})
