import type { Migration } from './migration.ts'

/** Readers keep finished hours in memory, and see by this number whether one has changed. */
export const rewritesOfDays: Migration = {
  name: '006-rewrites-of-days',
  does: 'counts the changes of open days other than newer records',
  statements: ['theme', 'raw'].map(
    (kind) => `alter table ${kind}_open_days add column rewrites integer not null default 0`,
  ),
}
