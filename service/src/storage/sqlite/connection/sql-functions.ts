import type { Database } from 'better-sqlite3'
import { knowContentContains } from '../alarm-lists/content-contains.ts'
import { knowRowCheck } from '../integrity/row-check.ts'

/** Makes the functions that our statements call known to a connection. */
export function knowFunctions(database: Database): void {
  knowRowCheck(database)
  knowContentContains(database)
}
