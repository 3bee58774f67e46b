import { YamlFileError, type FileProblem } from './yaml-file-error.ts'
import { type ValuePath, formatPath } from '../schemas/value-path.ts'

/** Where the parts of a file stand in its text. */
export type YamlLines = { fileName: string; lineOf(path: ValuePath): number | null }

/** Gathers what is wrong or worth saying, each with its place. */
export class ProblemList {
  readonly lines: YamlLines
  readonly problems: FileProblem[] = []

  constructor(lines: YamlLines) {
    this.lines = lines
  }

  readonly report = (path: ValuePath, message: string): void => {
    this.add(path, message)
  }

  add(path: ValuePath, message: string): void {
    const line = this.lines.lineOf(path)
    this.problems.push({ path: formatPath(path), line, message })
  }

  addLine(line: number, message: string): void {
    this.problems.push({ path: '', line, message })
  }

  /** Refuses the file when anything was added. */
  throwIfAny(): void {
    if (this.problems.length > 0) throw this.error()
  }

  /** The refusal of the file, with all that was added. */
  error(): YamlFileError {
    return new YamlFileError(this.lines.fileName, this.problems)
  }
}
