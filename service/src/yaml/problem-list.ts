import { formatPath, YamlFileError, type FileProblem, type YamlPath } from './yaml-file-error.ts'

/** Where the parts of a file stand in its text. */
export type YamlLines = { fileName: string; lineOf(path: YamlPath): number | null }

/** Gathers what is wrong or worth saying, each with its place. */
export class ProblemList {
  readonly #lines: YamlLines
  readonly problems: FileProblem[] = []

  constructor(lines: YamlLines) {
    this.#lines = lines
  }

  add(path: YamlPath, message: string): void {
    const line = this.#lines.lineOf(path)
    this.problems.push({ path: formatPath(path), line, message })
  }

  addLine(line: number, message: string): void {
    this.problems.push({ path: '', line, message })
  }

  /** Refuses the file when anything was added. */
  throwIfAny(): void {
    if (this.problems.length > 0) throw new YamlFileError(this.#lines.fileName, this.problems)
  }
}
