import type { ValuePath } from '../../schemas/value-path.ts'

/** A problem of one conversion; `resolveConversions` catches it. */
export class ConversionProblem extends Error {
  /** The path within the conversion. */
  readonly path: ValuePath

  constructor(path: ValuePath, message: string) {
    super(message)
    this.path = path
  }
}
