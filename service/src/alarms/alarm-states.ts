import type { AlarmWatch } from '../domain/alarms/alarm-life.ts'
import type { RuleStates } from '../domain/alarms/station-evaluator.ts'
import type { AlarmChange, AlarmVersion, Storage } from '../storage/storage.ts'

/** What is known of a station or device between two records. */
export type SourceState = {
  readonly source: string
  /** The newest alarm of each type. */
  readonly watches: Map<string, AlarmWatch>
  /** The instant of the newest record; undefined where it has to be looked up. */
  newest: number | null | undefined
  /** What its rules keep of earlier records; undefined where it has to be rebuilt. */
  rules: RuleStates | undefined
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
  readonly #before = new Map<SourceState, Map<string, AlarmWatch | undefined>>()
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
      state = { source, watches: new Map(), newest: undefined, rules: undefined }
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
    for (const { alarm, watch } of changes)
      this.#set(this.of(alarm.source.id), alarm.alarmTypeCode, watch)
    this.#version = { version: this.#version.version + 1, writer }
  }

  #set(state: SourceState, typeCode: string, watch: AlarmWatch): void {
    let before = this.#before.get(state)
    if (before === undefined) this.#before.set(state, (before = new Map()))
    if (!before.has(typeCode)) before.set(typeCode, state.watches.get(typeCode))
    state.watches.set(typeCode, watch)
  }

  invalidate(): void {
    this.#version = undefined
  }

  /** Reads what has changed since the last reading; no write of this process may be under way. */
  async read(): Promise<void> {
    const { at, watches } = await this.#store.loadWatches(this.#readVersion)
    for (const [state, before] of this.#before)
      for (const [typeCode, watch] of before)
        if (watch === undefined) state.watches.delete(typeCode)
        else state.watches.set(typeCode, watch)
    this.#before.clear()
    for (const { source, typeCode, watch } of watches) this.of(source).watches.set(typeCode, watch)
    for (const state of this.#sources.values()) {
      state.newest = undefined
      state.rules = undefined
    }
    this.#readVersion = at.version
    this.#version = at
  }
}
