import { planMigration } from '../storage/sqlite/migrations/plan-migration.ts'
import { printResult, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { formatTable } from './table.ts'

export const migrate: Command = {
  summary: 'migrate the database to the version of this program',
  usage: 'plumbline migrate [--dry-run] [--json]',
  help: `Shows the version of the database, the version that this program needs, and each migration between them, then
runs the migrations, each in one transaction. If it is interrupted, the same command continues. "plumbline serve"
migrates as well; other commands do not.

Stop the service first and copy the data folder: an older program cannot open the database afterwards.

  --dry-run   show the migrations and change nothing
  --json      print JSON: {"from", "to", "steps", "isMigrated"}`,
  options: { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },

  async run(context) {
    const { dataFolder, flags, printError } = context
    const plan = planMigration(dataFolder)
    const { from, to } = plan
    const steps = plan.steps.map(({ name, does }) => ({ name, does }))
    const lines = describe(plan)
    if (steps.length === 0)
      return printResult(context, { from, to, steps, isMigrated: false }, lines)
    if (flags['dry-run'] === true) {
      lines.push('(dry run: nothing was changed)')
      return printResult(context, { from, to, steps, isMigrated: false }, lines)
    }
    await using _storage = await openStorage(
      { dataFolder, printError },
      { migrating: 'allow', mayBeRewriting: true },
    )
    lines.push(`The database was migrated to version ${to}.`)
    printResult(context, { from, to, steps, isMigrated: true }, lines)
  },
}

function describe({ from, to, steps }: ReturnType<typeof planMigration>): string[] {
  if (steps.length === 0)
    return [`The database has version ${to}, the version that this program needs.`]
  const rows = steps.map(({ name, does }) => [name, does])
  return [
    `The database has version ${from}; this program needs version ${to}.`,
    ...formatTable(['migration', 'description'], rows),
  ]
}
