import type { SampleChunks } from '../../../domain/vibration/sample-chunks.ts'
import type { Statement } from '../../sql/engine.ts'

/** The chunks that a job lends to the writer, in the order in which they are given back. */
export const lentChunks = (statements: readonly Statement[]): SampleChunks[] =>
  statements.flatMap(({ chunks }) => (chunks === undefined ? [] : [chunks]))
