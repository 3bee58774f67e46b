import type { RecordKind } from '../stores/records.ts'
import type { KeptDay } from './kept-day.ts'

/** Keeps days up to a number of bytes; the least recently used one is removed first. */
export class OpenDayCache {
  readonly #maximum: number
  /** In the order of their last use. */
  readonly #days = new Map<string, Entry>()
  #bytes = 0

  constructor(maximumBytes: number) {
    this.#maximum = maximumBytes
  }

  get isOff(): boolean {
    return this.#maximum <= 0
  }

  /** How many bytes are kept. */
  get bytes(): number {
    return this.#bytes
  }

  find(kind: RecordKind, source: number, day: number): KeptDay | undefined {
    if (this.#days.size === 0) return undefined
    const key = keyOf(kind, source, day)
    const entry = this.#days.get(key)
    if (entry === undefined) return undefined
    this.#days.delete(key)
    this.#days.set(key, entry)
    return entry.kept
  }

  /** Keeps a day; has to be called again after it has grown. */
  put(kind: RecordKind, source: number, day: number, kept: KeptDay): void {
    const key = keyOf(kind, source, day)
    this.#remove(key)
    const { size } = kept
    this.#days.set(key, { kept, size })
    this.#bytes += size
    for (const oldest of this.#days.keys()) {
      if (this.#bytes <= this.#maximum) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const entry = this.#days.get(key)
    if (entry === undefined) return
    this.#days.delete(key)
    this.#bytes -= entry.size
  }
}

/** A day and how much memory it takes. */
type Entry = { kept: KeptDay; size: number }

const keyOf = (kind: RecordKind, source: number, day: number): string => `${kind} ${source} ${day}`
