import type { AlarmState } from '../domain/alarms/alarm-state.ts'
import type { RuleStates } from '../domain/alarms/rules/rule.ts'
import type { AlarmChange, AlarmUpdate, AlarmVersion, Storage } from '../storage/storage.ts'

/** The alarm states of a station or device between two records. */
export type EvaluationState = {
  readonly source: string
  /** The version that writes are computed from; undefined until the states are read. */
  version: AlarmVersion | undefined
  /** The newest alarm of each type. */
  readonly alarmStates: Map<string, AlarmState>
  /** The instant of the newest record, `null` for none; undefined until it is looked up. */
  newest: number | null | undefined
  /** The states of its rules after the newest record; undefined until they are rebuilt. */
  ruleStates: RuleStates | undefined
}

/**
 * The alarm states of the sources that were needed so far, each after every write under way.
 *
 * When a write fails, the states of its sources are wrong: they are invalidated and read again.
 */
export class AlarmStates {
  readonly #store: Pick<Storage['alarms'], 'loadStates'>
  readonly #sources = new Map<string, EvaluationState>()

  constructor(store: Pick<Storage['alarms'], 'loadStates'>) {
    this.#store = store
  }

  of(source: string): EvaluationState {
    return this.#sources.getOrInsertComputed(source, newState)
  }

  /** The versions of sources whose states were read. */
  versionsOf(sources: Iterable<string>): AlarmUpdate['at'] {
    const at = new Map<string, AlarmVersion>()
    for (const source of sources) {
      const { version } = this.of(source)
      if (version === undefined) throw new Error(`alarm states of ${source} must be read first`)
      at.set(source, version)
    }
    return at
  }

  /** Applies the changes of a write by `writer` that is under way and was computed from `at`. */
  advance(changes: readonly AlarmChange[], { at, writer }: Pick<AlarmUpdate, 'at' | 'writer'>) {
    for (const { alarm, state } of changes) {
      const source = this.of(alarm.source.id)
      source.alarmStates.set(alarm.alarmTypeCode, state)
      const { version = 0 } = at.get(source.source) ?? {}
      source.version = { version: version + 1, writer }
    }
  }

  /** The states of these sources are read before the next write is computed from them. */
  invalidate(sources: Iterable<string>): void {
    for (const source of sources) this.of(source).version = undefined
  }

  /**
   * Reads the states of those sources that were not read yet or are invalid; no write of theirs by this
   * process may be under way.
   */
  async read(sources: Iterable<string>): Promise<void> {
    const unread = Array.from(sources).filter((source) => this.of(source).version === undefined)
    if (unread.length === 0) return
    const stored = await this.#store.loadStates(unread)
    for (const source of unread) clear(this.of(source))
    for (const { source, version, states } of stored) {
      const known = this.of(source)
      known.version = version
      for (const { typeCode, state } of states) known.alarmStates.set(typeCode, state)
    }
  }
}

/** The version of a source whose alarms were never changed. */
const NEVER_CHANGED: AlarmVersion = { version: 0, writer: 0 }

const newState = (source: string): EvaluationState => ({
  source,
  version: undefined,
  alarmStates: new Map(),
  newest: undefined,
  ruleStates: undefined,
})

/** Makes a state that of a source without alarms. */
function clear(state: EvaluationState): void {
  state.version = NEVER_CHANGED
  state.alarmStates.clear()
  state.newest = undefined
  state.ruleStates = undefined
}
