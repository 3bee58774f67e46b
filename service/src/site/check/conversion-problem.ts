import type { YamlPath } from '../../yaml/yaml-file-error.ts'

/** Ends the look at one conversion. It never leaves this folder. */
export class ConversionProblem extends Error {
  /** The place below the conversion. */
  readonly path: YamlPath

  constructor(path: YamlPath, message: string) {
    super(message)
    this.path = path
  }
}
