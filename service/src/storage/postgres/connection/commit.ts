import type { PoolClient } from 'pg'
import { codeOf, toError } from '../../../errors/thrown.ts'

/** Codes of a transaction that the server has rolled back: a constraint, another transaction in the way. */
const ROLLED_BACK = /^(23|40(?!003))/

/** Nobody knows whether a commit has taken place. */
export class UnknownCommitError extends Error {
  override name = 'UnknownCommitError'
  /** SQLSTATE of a transaction whose resolution is unknown. */
  readonly code = '08007'

  constructor(cause: unknown) {
    super(`the outcome of a commit is unknown: ${toError(cause).message}`, { cause })
  }
}

/**
 * Commits a transaction. Where a connection is lost meanwhile, to the server or from there to a worker of
 * Citus (XX000), it may have been committed all the same.
 */
export async function commit(client: Pick<PoolClient, 'query'>): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    throw ROLLED_BACK.test(codeOf(error) ?? '') ? error : new UnknownCommitError(error)
  }
}
