import type { ValuePath } from '../../schemas/value-path.ts'

/** Ends the look at one conversion. It never leaves this folder. */
export class ConversionProblem extends Error {
  /** The place below the conversion. */
  readonly path: ValuePath

  constructor(path: ValuePath, message: string) {
    super(message)
    this.path = path
  }
}
