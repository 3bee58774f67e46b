import { YamlFileError, type FileProblem } from './yaml-file-error.ts'
import { type ValuePath, formatPath } from '../schemas/value-path.ts'

/** The line numbers of the parts of a file. */
export type YamlLines = { fileName: string; lineOf(path: ValuePath): number | null }

/** Collects errors and notes about a file, with their places. */
export class ProblemList {
  readonly lines: YamlLines
  readonly problems: FileProblem[] = []

  constructor(lines: YamlLines) {
    this.lines = lines
  }

  readonly report = (path: ValuePath, message: string): void => {
    this.add(path, message)
  }

  /** Adds a problem of a part of the file. */
  add(path: ValuePath, message: string): void {
    const line = this.lines.lineOf(path)
    this.problems.push({ path: formatPath(path), line, message })
  }

  /** Adds a problem of a line. */
  addLine(line: number, message: string): void {
    this.problems.push({ path: '', line, message })
  }

  /** Refuses the file if a problem was added. */
  throwIfAny(): void {
    if (this.problems.length > 0) throw this.error()
  }

  /** Returns the error that refuses the file, with all problems. */
  error(): YamlFileError {
    return new YamlFileError(this.lines.fileName, this.problems)
  }
}
