import type { CutSamples } from '../../../domain/vibration/cut-samples.ts'
import type { Statement } from '../../sql/engine.ts'

/** The pieces that a job lends to the writer, in the order in which they are given back. */
export const piecesOf = (statements: readonly Statement[]): CutSamples[] =>
  statements.flatMap(({ pieces }) => (pieces === undefined ? [] : [pieces]))
