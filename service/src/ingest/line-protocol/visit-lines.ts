import { RefusedError } from '../../errors/refused-error.ts'
import { Turn, type TurnOptions } from '../../concurrency/turn.ts'
import { LINES_MAXIMUM, TOO_MANY_LINES } from '../formats/line-limit.ts'
import { readLines, type ProtocolLine } from './line-protocol.ts'

/** Visits the lines of a body in order; other work runs meanwhile, also during blank lines. */
export async function visitLines(
  text: string,
  visit: (line: ProtocolLine) => void,
  options?: TurnOptions,
): Promise<void> {
  const turn = new Turn(options)
  let lines = 0
  for (const line of readLines(text)) {
    if (++lines > LINES_MAXIMUM) throw new RefusedError('tooLarge', TOO_MANY_LINES)
    if (line !== undefined) visit(line)
    if (turn.isOver()) await turn.pass()
  }
}
