import { RefusedError } from '../errors/refused-error.ts'

/** One thing that is wrong. `line` is null for a file that was not read from text. */
export type FileProblem = { path: string; line: number | null; message: string }

const SHOWN = 20

/** A file that is refused, with everything that is wrong in it. */
export class YamlFileError extends RefusedError {
  override name = 'YamlFileError'
  /** All of them, in the order of the file; the message names the first 20. */
  readonly problems: readonly FileProblem[]

  constructor(fileName: string, problems: readonly FileProblem[]) {
    const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    const lines = inOrder.slice(0, SHOWN).map((problem) => formatProblem(fileName, problem))
    if (inOrder.length > SHOWN) lines.push(`and ${inOrder.length - SHOWN} more`)
    super('invalid', lines.join('\n'))
    this.problems = inOrder
  }
}

/** `site.yaml:42: structures[0].factors[1].factor: factor 99 is not in the catalogue` */
export function formatProblem(fileName: string, { path, line, message }: FileProblem): string {
  const place = line === null ? fileName : `${fileName}:${line}`
  return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`
}
