import type { Outcome, Statement } from '../../sql/statement.ts'
import { countRows } from './given-rows.ts'
import { ROWS_AT_ONCE, runStatement, type Client } from './run-statement.ts'

/** Runs the statements of a write in its transaction. */
export type WriteRunner = Readonly<{
  run(client: Client, statements: readonly Statement[]): Promise<Outcome[]>

  /**
   * The same write as it is faster where all its records are new; it fails with `ExistingRows` where
   * one may not be. Undefined where there is no such way.
   */
  assumeNew?(statements: readonly Statement[]): Statement[] | undefined
}>

/** A row that was assumed to be new may exist. */
export class ExistingRows extends Error {
  constructor() {
    super('a row that was assumed to be new may exist')
  }
}

export const statementRunner: WriteRunner = {
  run: (client, statements) => runStatements(client, statements),
}

/**
 * Runs the statements of a write in a transaction. They are sent one after the other without waiting
 * for results, but for those whose rows depend on a result or that are never rolled back; an error
 * stops all that follow.
 */
export async function runStatements(
  client: Client,
  statements: readonly Statement[],
  run: typeof runStatement = runStatement,
): Promise<Outcome[]> {
  const pending: Promise<Outcome>[] = []
  for (const statement of statements) {
    if (statement.isLasting === true && !(await succeeds(Promise.all(pending)))) break
    const running = run(client, statement)
    // Awaited below, in their order: the first one that fails is the reason of the others.
    running.catch(() => undefined)
    pending.push(running)
    if (isInSteps(statement) && !(await succeeds(running))) break
  }
  const outcomes: Outcome[] = []
  for (const one of pending) outcomes.push(await one)
  return outcomes
}

const succeeds = (running: Promise<unknown>): Promise<boolean> =>
  running.then(
    () => true,
    () => false,
  )

/** Whether the next statement must not be sent before this one has ended. */
const isInSteps = (statement: Statement): boolean =>
  statement.set === undefined &&
  (statement.otherwise !== undefined || countRows(statement) > ROWS_AT_ONCE)
