import type { RecordKind } from '../stores/records.ts'
import { sizeOf, type KeptDay } from './kept-day.ts'

/** Keeps days up to a number of bytes; the least recently used one is removed first. */
export class OpenDayCache {
  readonly #maximum: number
  /** In the order of their last use. */
  readonly #days = new Map<string, KeptDay>()
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
    const kept = this.#days.get(key)
    if (kept === undefined) return undefined
    this.#days.delete(key)
    this.#days.set(key, kept)
    return kept
  }

  put(kind: RecordKind, source: number, day: number, kept: KeptDay): void {
    const key = keyOf(kind, source, day)
    this.#remove(key)
    this.#days.set(key, kept)
    this.#bytes += sizeOf(kept)
    for (const oldest of this.#days.keys()) {
      if (this.#bytes <= this.#maximum) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const kept = this.#days.get(key)
    if (kept === undefined) return
    this.#days.delete(key)
    this.#bytes -= sizeOf(kept)
  }
}

const keyOf = (kind: RecordKind, source: number, day: number): string => `${kind} ${source} ${day}`
