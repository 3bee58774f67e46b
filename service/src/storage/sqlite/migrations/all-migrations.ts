import { initial } from './001-initial/initial-schema.ts'
import { accessScopes } from './002-access-scopes.ts'
import { qualityOfValues } from './003-quality-of-values.ts'
import { alarmSnapshots } from './004-alarm-snapshots.ts'
import { versionsOfSources } from './005-versions-of-sources.ts'
import { rewritesOfDays } from './006-rewrites-of-days.ts'
import { accounts } from './007-accounts.ts'
import { console } from './008-console.ts'
import type { Migration } from './migration.ts'

/** In order; a database remembers how many of them it has seen. Only ever append. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  accessScopes,
  qualityOfValues,
  alarmSnapshots,
  versionsOfSources,
  rewritesOfDays,
  accounts,
  console,
]
