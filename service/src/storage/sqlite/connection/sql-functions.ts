import type { Database } from 'better-sqlite3'
import { registerContentContains } from './content-contains.ts'
import { registerRowCheck } from '../integrity/row-check.ts'

/** Registers the functions that the statements of this program call. */
export function registerFunctions(database: Database): void {
  registerRowCheck(database)
  registerContentContains(database)
}
