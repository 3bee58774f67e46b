import type { Migration } from '../../migration.ts'
import { initial } from './001-initial/initial-schema.ts'

/** In order; a database remembers how many of them it has seen. Only ever append. */
export const MIGRATIONS: readonly Migration[] = [initial]
