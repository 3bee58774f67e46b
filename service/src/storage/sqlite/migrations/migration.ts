export type { Migration } from '../../migration.ts'
