import type { AlarmWatch } from '../domain/alarms/alarm-life.ts'
import type { RuleStates } from '../domain/alarms/station-evaluator.ts'
import type { AlarmVersion, Storage } from '../storage/storage.ts'

/** What is remembered of a station or device. Of what was not asked for yet, nothing is known. */
export type SourceMemory = {
  source: string
  /** The newest alarm of each type. */
  watches: Map<string, AlarmWatch>
  /** The instant of the newest record; undefined where it is not known. */
  newest: number | null | undefined
  states: RuleStates | undefined
}

/**
 * All alarms as they will be once every write under way is stored.
 *
 * A write that fails makes it wrong: then it is `forgotten` and read again.
 */
export class AlarmMemory {
  readonly #store: Storage['alarms']
  readonly #sources = new Map<string, SourceMemory>()
  /** The watches that were changed since the last reading, as they were then. */
  readonly #before = new Map<SourceMemory, Map<string, AlarmWatch | undefined>>()
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
      memory = { source, watches: new Map(), newest: undefined, states: undefined }
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

  setWatch(memory: SourceMemory, typeCode: string, watch: AlarmWatch): void {
    let before = this.#before.get(memory)
    if (before === undefined) this.#before.set(memory, (before = new Map()))
    if (!before.has(typeCode)) before.set(typeCode, memory.watches.get(typeCode))
    memory.watches.set(typeCode, watch)
  }

  forget(): void {
    this.#at = undefined
  }

  /** Reads what has changed since the last reading; no write of ours may be under way. */
  async read(): Promise<void> {
    const { at, watches } = await this.#store.loadWatches(this.#readAt)
    for (const [memory, before] of this.#before)
      for (const [typeCode, watch] of before)
        if (watch === undefined) memory.watches.delete(typeCode)
        else memory.watches.set(typeCode, watch)
    this.#before.clear()
    for (const { source, typeCode, watch } of watches) this.of(source).watches.set(typeCode, watch)
    for (const memory of this.#sources.values()) {
      memory.newest = undefined
      memory.states = undefined
    }
    this.#readAt = at.version
    this.#at = at
  }
}
