import { toError } from '../errors/thrown.ts'
import type { Storage } from './storage.ts'

/** Why the database cannot be read or written, as far as that is known already. */
export function findStorageProblem({ state }: Pick<Storage, 'state'>): string | undefined {
  try {
    const { reading, writing } = state()
    return (reading ?? writing)?.message
  } catch (error) {
    return `The database cannot be read: ${toError(error).message}`
  }
}

/** Reads and writes; returns why that does not work, as a sentence. */
export const checkStorageProblem = (storage: Pick<Storage, 'check'>): Promise<string | undefined> =>
  storage.check().then(
    () => undefined,
    (error: unknown) => toError(error).message,
  )
