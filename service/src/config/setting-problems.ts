import { RefusedError } from '../errors/refused-error.ts'
import type { ValuePath } from '../schemas/value-path.ts'

/** Where a value of a setting comes from. */
export type SettingOrigin = {
  source: 'flag' | 'environment' | 'file' | 'default'
  /** The flag, the variable or the file. */
  name: string
  /** The path of the setting in the file, and its line. */
  path?: ValuePath
  line?: number | undefined
}

/** The settings file, parsed. */
export type SettingsFile = {
  /** The name of the file in errors. */
  name: string
  sections: unknown
  /** The line of a part of the file; without it errors have no lines. */
  lineOf?: ((path: ValuePath) => number) | undefined
}

type SettingProblem = { source: SettingOrigin['source']; line: number; sentence: string }

/** Problems in one error message. */
const LISTED_MAXIMUM = 20

/** Settings are refused; the message lists all their problems, those of the file with their lines. */
export class SettingsError extends RefusedError {
  override name = 'SettingsError'
  /** Whether the flags of the command line are the only cause. */
  readonly isOfFlags: boolean

  constructor(problems: readonly SettingProblem[]) {
    const inOrder = problems.toSorted((a, b) => a.line - b.line)
    const lines = inOrder.slice(0, LISTED_MAXIMUM).map(({ sentence }) => sentence)
    if (inOrder.length > LISTED_MAXIMUM) lines.push(`and ${inOrder.length - LISTED_MAXIMUM} more`)
    super('invalid', lines.join('\n'))
    this.isOfFlags = problems.every(({ source }) => source === 'flag')
  }
}

/** Collects problems of settings, with their places. */
export class SettingProblems {
  readonly #file: SettingsFile | undefined
  readonly #problems: SettingProblem[] = []

  constructor(file: SettingsFile | undefined) {
    this.#file = file
  }

  /** Adds a problem of a value, or of the part of it that a path names. */
  add(origin: SettingOrigin, path: ValuePath, sentence: string): void {
    const { source, path: start = [] } = origin
    if (source === 'file') this.addToFile([...start, ...path], sentence)
    else this.#problems.push({ source, line: 0, sentence })
  }

  addToFile(path: ValuePath, sentence: string): void {
    const line = this.#file?.lineOf?.(path)
    const place = line === undefined ? '' : `:${line}`
    const placed = `${this.#file?.name}${place}: ${sentence}`
    this.#problems.push({ source: 'file', line: line ?? 0, sentence: placed })
  }

  throwIfAny(): void {
    if (this.#problems.length > 0) throw new SettingsError(this.#problems)
  }
}
