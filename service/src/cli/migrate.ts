import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { readConnectionSettings, usesPostgres } from '../startup/storage-settings.ts'
import type { MigrationPlan } from '../storage/migration.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { planReturn, returnToKept } from '../storage/sqlite/kept/return-to-kept.ts'
import type { SqlConnection } from '../storage/postgres/connection/sql-connection.ts'
import * as postgres from '../storage/postgres/migrations/migrate.ts'
import { planMigration } from '../storage/sqlite/migrations/plan-migration.ts'
import { confirm } from './confirm.ts'
import { printResult, type Command, type CommandContext } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { formatTable, showMoment } from './table.ts'

export const migrate: Command = {
  summary: 'migrate the database to the version of this program',
  usage: 'plumbline migrate [--dry-run | --without-copy | --back [--yes]] [--json]',
  help: `Shows the version of the database, the version that this program needs, and each migration between them, then
runs the migrations, each in one transaction. If it is interrupted, the same command continues. "plumbline serve"
migrates as well; other commands do not.

Stop the service first and make a backup: an older program cannot open the database afterwards. Before the first step
the database is copied to plumbline.db.before-VERSION in the data folder, VERSION being the one of this program. A
service removes the copy when it has been ready for a day (storage.keepBeforeUpgradeMinutes). Until then --back puts it
in the place of the database, for the program that you had before.

With PostgreSQL instances of this version may serve meanwhile where all steps are optional, which their starts and
"plumbline doctor" say; instances of an older version must have ended. In an empty database of PostgreSQL the command
creates the tables. Run it with a URL of the role that owns them; the service needs fewer rights (docs/postgres.md).

  --dry-run        show the migrations and change nothing
  --without-copy   migrate without the copy, where there is a backup and no space
  --back           go back to the database of before the migration; what was stored since stays in
                   plumbline.db.after-VERSION
  --yes            do not ask before going back; without a terminal it is needed
  --json           print JSON: {"from", "to", "steps", "isMigrated"}; with --back {"from", "to", "aside"}`,
  options: {
    'dry-run': { type: 'boolean' },
    'without-copy': { type: 'boolean' },
    back: { type: 'boolean' },
    yes: { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const config = await loadSettings(context)
    if (context.flags['back'] === true) return goBack(context, config)
    if (!usesPostgres(config))
      return migrateAs(context, planMigration(context.dataFolder), async () => {
        await using _storage = await openStorage(context, {
          config,
          migrating: 'allow',
          mayBeRewriting: true,
          keepsEarlier: context.flags['without-copy'] !== true,
          inform: context.printError,
        })
      })
    await using connection = await connect(config)
    await migrateAs(context, await postgres.planMigration(connection), async () => {
      await postgres.migrate(connection, { migrating: 'allow' })
    })
  },
}

async function goBack(context: CommandContext, config: Config): Promise<void> {
  if (usesPostgres(config))
    throw new RefusedError('invalid', 'In PostgreSQL no copy is kept: restore the dump instead.')
  const { dataFolder: folder } = context
  const plan = planReturn(folder, DATABASE_FILE)
  const { from, to, kept, keptAt, aside } = plan
  await confirm(context, [
    `The database of version ${to}, copied at ${showMoment(keptAt)}, replaces the one of version ${from}.`,
    `What was stored since then stays in ${aside} only.`,
  ])
  await returnToKept(folder, DATABASE_FILE, plan)
  printResult(context, { from, to, aside }, [
    `${kept} is the database again. Start the program that you had before the upgrade.`,
    `What was stored since is in ${aside}. Delete it when you do not need it any more.`,
  ])
}

/** Loads the driver only here. */
async function connect(config: Config): Promise<SqlConnection & AsyncDisposable> {
  const { openConnection } = await import('../storage/postgres/connection/open-connection.ts')
  return openConnection(config['storage.url'], await readConnectionSettings(config))
}

async function migrateAs(
  context: CommandContext,
  plan: MigrationPlan,
  run: () => Promise<void>,
): Promise<void> {
  const { from, to } = plan
  const steps = plan.steps.map(({ name, does }) => ({ name, does }))
  const lines = describe(plan)
  if (steps.length === 0) return printResult(context, { from, to, steps, isMigrated: false }, lines)
  if (context.flags['dry-run'] === true) {
    lines.push('(dry run: nothing was changed)')
    return printResult(context, { from, to, steps, isMigrated: false }, lines)
  }
  await run()
  lines.push(`The database was migrated to version ${to}.`)
  printResult(context, { from, to, steps, isMigrated: true }, lines)
}

function describe({ from, to, steps }: MigrationPlan): string[] {
  if (steps.length === 0)
    return [`The database has version ${to}, the version that this program needs.`]
  const rows = steps.map(({ name, does }) => [name, does])
  const found = from === 0 ? 'has no tables of Plumbline' : `has version ${from}`
  return [
    `The database ${found}; this program needs version ${to}.`,
    ...formatTable(['migration', 'description'], rows),
  ]
}
