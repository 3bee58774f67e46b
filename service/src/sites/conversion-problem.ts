import type { SitePath } from './site-file-error.ts'

/** Ends the look at one conversion. It never leaves this folder. */
export class ConversionProblem extends Error {
  /** The place below the conversion. */
  readonly path: SitePath

  constructor(path: SitePath, message: string) {
    super(message)
    this.path = path
  }
}
