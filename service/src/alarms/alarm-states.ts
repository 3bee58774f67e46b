import type { AlarmState } from '../domain/alarms/alarm-lifecycle.ts'
import type { RuleStates } from '../domain/alarms/station-evaluator.ts'
import type { AlarmChange, AlarmVersion, Storage } from '../storage/storage.ts'

/** What is known of a station or device between two records. */
export type SourceState = {
  readonly source: string
  /** The newest alarm of each type. */
  readonly alarmStates: Map<string, AlarmState>
  /** The instant of the newest record; undefined where it has to be looked up. */
  newest: number | null | undefined
  /** What its rules keep of earlier records; undefined where it has to be rebuilt. */
  ruleStates: RuleStates | undefined
}

/**
 * The states of all alarms as they will be once every write under way is stored.
 *
 * A write that fails makes them wrong: they are invalidated and read again.
 */
export class AlarmStates {
  readonly #store: Storage['alarms']
  readonly #sources = new Map<string, SourceState>()
  /** What has changed since the last reading, as it was then. */
  readonly #before = new Map<SourceState, Map<string, AlarmState | undefined>>()
  #readVersion = -1
  #version: AlarmVersion | undefined

  constructor(store: Storage['alarms']) {
    this.#store = store
  }

  /** The version that writes are computed from; undefined when states have to be read first. */
  get version(): AlarmVersion | undefined {
    return this.#version
  }

  of(source: string): SourceState {
    let state = this.#sources.get(source)
    if (state === undefined) {
      state = { source, alarmStates: new Map(), newest: undefined, ruleStates: undefined }
      this.#sources.set(source, state)
    }
    return state
  }

  all(): Iterable<SourceState> {
    return this.#sources.values()
  }

  /** Takes over the changes of a write that is under way; `writer` makes it. */
  advance(changes: readonly AlarmChange[], writer: number): void {
    if (changes.length === 0 || this.#version === undefined) return
    for (const { alarm, state } of changes)
      this.#set(this.of(alarm.source.id), alarm.alarmTypeCode, state)
    this.#version = { version: this.#version.version + 1, writer }
  }

  #set(source: SourceState, typeCode: string, state: AlarmState): void {
    let before = this.#before.get(source)
    if (before === undefined) this.#before.set(source, (before = new Map()))
    if (!before.has(typeCode)) before.set(typeCode, source.alarmStates.get(typeCode))
    source.alarmStates.set(typeCode, state)
  }

  invalidate(): void {
    this.#version = undefined
  }

  /** Reads what has changed since the last reading; no write of this process may be under way. */
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
