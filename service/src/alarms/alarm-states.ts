import type { AlarmState } from '../domain/alarms/alarm-lifecycle.ts'
import type { RuleStates } from '../domain/alarms/station-evaluator.ts'
import type { AlarmVersion, Storage } from '../storage/storage.ts'

/** What is remembered of a station or device. Of what was not asked for yet, nothing is known. */
export type SourceMemory = {
  source: string
  /** The newest alarm of each type. */
  alarmStates: Map<string, AlarmState>
  /** The instant of the newest record; undefined where it is not known. */
  newest: number | null | undefined
  ruleStates: RuleStates | undefined
}

/**
 * All alarms as they will be once every write under way is stored.
 *
 * A write that fails makes it wrong: then it is `forgotten` and read again.
 */
export class AlarmMemory {
  readonly #store: Storage['alarms']
  readonly #sources = new Map<string, SourceMemory>()
  /** The alarm states that were changed since the last reading, as they were then. */
  readonly #before = new Map<SourceMemory, Map<string, AlarmState | undefined>>()
  #readAt = -1
  #at: AlarmVersion | undefined

  constructor(store: Storage['alarms']) {
    this.#store = store
  }

  /** Undefined when it has to be read first. */
  get at(): AlarmVersion | undefined {
    return this.#at
  }

  of(source: string): SourceMemory {
    let memory = this.#sources.get(source)
    if (memory === undefined) {
      memory = { source, alarmStates: new Map(), newest: undefined, ruleStates: undefined }
      this.#sources.set(source, memory)
    }
    return memory
  }

  all(): Iterable<SourceMemory> {
    return this.#sources.values()
  }

  /** Takes over what a write that is under way will have changed. */
  advance(at: AlarmVersion): void {
    this.#at = at
  }

  setState(memory: SourceMemory, typeCode: string, state: AlarmState): void {
    let before = this.#before.get(memory)
    if (before === undefined) this.#before.set(memory, (before = new Map()))
    if (!before.has(typeCode)) before.set(typeCode, memory.alarmStates.get(typeCode))
    memory.alarmStates.set(typeCode, state)
  }

  forget(): void {
    this.#at = undefined
  }

  /** Reads what has changed since the last reading; no write of ours may be under way. */
  async read(): Promise<void> {
    const { at, states } = await this.#store.loadStates(this.#readAt)
    for (const [memory, before] of this.#before)
      for (const [typeCode, state] of before)
        if (state === undefined) memory.alarmStates.delete(typeCode)
        else memory.alarmStates.set(typeCode, state)
    this.#before.clear()
    for (const { source, typeCode, state } of states)
      this.of(source).alarmStates.set(typeCode, state)
    for (const memory of this.#sources.values()) {
      memory.newest = undefined
      memory.ruleStates = undefined
    }
    this.#readAt = at.version
    this.#at = at
  }
}
