import type { Config } from '../config/settings.ts'
import { readConnectionSettings, usesPostgres } from '../startup/storage-settings.ts'
import type { MigrationPlan } from '../storage/migration.ts'
import type { SqlConnection } from '../storage/postgres/connection/sql-connection.ts'
import * as postgres from '../storage/postgres/migrations/migrate.ts'
import { planMigration } from '../storage/sqlite/migrations/plan-migration.ts'
import { printResult, type Command, type CommandContext } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { formatTable } from './table.ts'

export const migrate: Command = {
  summary: 'migrate the database to the version of this program',
  usage: 'plumbline migrate [--dry-run] [--json]',
  help: `Shows the version of the database, the version that this program needs, and each migration between them, then
runs the migrations, each in one transaction. If it is interrupted, the same command continues. "plumbline serve"
migrates as well; other commands do not.

Stop the service first and copy the data folder, or dump the database: an older program cannot open it
afterwards. With PostgreSQL instances of this version may serve meanwhile where all steps are optional, which
their starts and "plumbline doctor" say; instances of an older version must have ended. In an empty database of PostgreSQL the command creates the tables. Run it with a URL of the
role that owns them; the service needs fewer rights (docs/postgres.md).

  --dry-run   show the migrations and change nothing
  --json      print JSON: {"from", "to", "steps", "isMigrated"}`,
  options: { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },

  async run(context) {
    const config = await loadSettings(context)
    if (!usesPostgres(config))
      return migrateAs(context, planMigration(context.dataFolder), async () => {
        await using _storage = await openStorage(context, {
          config,
          migrating: 'allow',
          mayBeRewriting: true,
        })
      })
    await using connection = await connect(config)
    await migrateAs(context, await postgres.planMigration(connection), async () => {
      await postgres.migrate(connection, { migrating: 'allow' })
    })
  },
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
