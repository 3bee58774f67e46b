import { RefusedError } from '../errors/refused-error.ts'

/** A problem of a file. `line` is null for a file that was not read from text. */
export type FileProblem = { path: string; line: number | null; message: string }

const LISTED_MAXIMUM = 20

/** A file is refused, with all its problems. */
export class YamlFileError extends RefusedError {
  override name = 'YamlFileError'
  /** All problems in the order of the file; the message lists the first 20. */
  readonly problems: readonly FileProblem[]

  constructor(fileName: string, problems: readonly FileProblem[]) {
    const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    const lines = inOrder
      .slice(0, LISTED_MAXIMUM)
      .map((problem) => formatProblem(fileName, problem))
    if (inOrder.length > LISTED_MAXIMUM) lines.push(`and ${inOrder.length - LISTED_MAXIMUM} more`)
    super('invalid', lines.join('\n'))
    this.problems = inOrder
  }
}

/** Formats a problem: `site.yaml:42: structures[0].factors[1].factor: factor 99 is not …`. */
export function formatProblem(fileName: string, { path, line, message }: FileProblem): string {
  const place = line === null ? fileName : `${fileName}:${line}`
  return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`
}
