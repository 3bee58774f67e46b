import { RefusedError } from '../../errors/refused-error.ts'

/** A file holds more reserved space in a row than the limit. */
export class ReservedSpaceError extends RefusedError {
  /** The number of lines before the space. */
  readonly lines: number

  constructor(mostBytes: number, lines: number) {
    const megabytes = (mostBytes / 2 ** 20).toLocaleString('en')
    super(
      'invalid',
      `it holds more than ${megabytes} MB of NUL bytes in a row (ingest.maxReservedMegabytes); ` +
        'only what stands before them is read',
    )
    this.lines = lines
  }
}
