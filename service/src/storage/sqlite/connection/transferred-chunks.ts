import type { SampleChunks } from '../../../domain/vibration/sample-chunks.ts'
import type { Statement } from '../../sql/statement.ts'

/** The samples whose memory goes to the writer thread with a job, in the order in which it returns. */
export const transferredChunks = (statements: readonly Statement[]): SampleChunks[] =>
  statements.flatMap(({ chunks }) => (chunks === undefined ? [] : [chunks]))
