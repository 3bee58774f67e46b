import { MIGRATIONS } from '../../src/storage/sqlite/migrations/all-migrations.ts'
import type { Migration } from '../../src/storage/sqlite/migrations/migration.ts'

/** Loaded before the program, it makes it one of a later version. */
export const MADE_UP: readonly Migration[] = [
  {
    name: 'made-up-1',
    does: 'makes a table',
    statements: ['create table made_up (number integer)'],
  },
  {
    name: 'made-up-2',
    does: 'changes guarded rows',
    statements: [
      'insert into made_up (number) values (2)',
      'alter table sensors add column place text',
      `update sensors set place = 'somewhere'`,
    ],
  },
]

if (process.env['MADE_UP_MIGRATIONS'] !== undefined) (MIGRATIONS as Migration[]).push(...MADE_UP)
