import { isMoreSevere, type Severity } from '../domain/alarms/alarm-settings.ts'
import { DEVICE_ALARMS } from '../domain/alarms/alarm-types.ts'
import type { OpenLevel } from '../storage/storage.ts'

const SILENCE: ReadonlySet<string> = new Set(
  Object.values(DEVICE_ALARMS).map(({ silence }) => silence.code),
)

/** The open alarms at one moment, by structure and by source. */
export class OpenLevels {
  readonly #bySource: ReadonlyMap<string, readonly OpenLevel[]>
  readonly #byStructure: ReadonlyMap<number, readonly OpenLevel[]>

  constructor(open: readonly OpenLevel[]) {
    this.#bySource = Map.groupBy(open, ({ source }) => source)
    this.#byStructure = Map.groupBy(open, ({ structure }) => structure)
  }

  /** Whether one of some devices is silent. */
  isSilent(devices: Iterable<string>): boolean {
    for (const device of devices)
      if (this.#bySource.get(device)?.some(({ typeCode }) => SILENCE.has(typeCode))) return true
    return false
  }

  /** The most severe level of a source; null without an open alarm. */
  worstOf(source: string, severity: Severity): number | null {
    return worst(this.#bySource.get(source) ?? [], severity)
  }

  /** How many alarms of each level a structure has, the most severe first. */
  count(structure: number, severity: Severity): { level: number; count: number }[] {
    const byLevel = Map.groupBy(this.#byStructure.get(structure) ?? [], ({ level }) => level)
    return Array.from(byLevel, ([level, alarms]) => ({ level, count: alarms.length })).toSorted(
      (one, other) => (isMoreSevere(one.level, other.level, severity) ? -1 : 1),
    )
  }
}

function worst(alarms: readonly OpenLevel[], severity: Severity): number | null {
  let found: number | null = null
  for (const { level } of alarms)
    if (found === null || isMoreSevere(level, found, severity)) found = level
  return found
}
