import type { SiteFile } from '@plumbline/contract/site'
import { SiteFileError, formatPath, type SitePath, type SiteProblem } from './site-file-error.ts'

/** Where the parts of a file stand in its text. */
export type SiteLines = { fileName: string; lineOf(path: SitePath): number | null }

// The lines travel beside the file, so that the file itself stays plain data.
const linesOfFile = new WeakMap<SiteFile, SiteLines>()

export function rememberLines(file: SiteFile, lines: SiteLines): void {
  linesOfFile.set(file, lines)
}

/** Gathers what is wrong or worth saying, each with its place. */
export class ProblemList {
  readonly #lines: SiteLines
  readonly problems: SiteProblem[] = []

  constructor(lines: SiteLines) {
    this.#lines = lines
  }

  /** For a file that `readSiteFile` gave; any other file has no lines. */
  static of(file: SiteFile): ProblemList {
    return new ProblemList(linesOfFile.get(file) ?? { fileName: 'site file', lineOf: () => null })
  }

  add(path: SitePath, message: string): void {
    const line = this.#lines.lineOf(path)
    this.problems.push({ path: formatPath(path), line, message })
  }

  addLine(line: number, message: string): void {
    this.problems.push({ path: '', line, message })
  }

  /** Refuses the file when anything was added. */
  throwIfAny(): void {
    if (this.problems.length > 0) throw new SiteFileError(this.#lines.fileName, this.problems)
  }
}
