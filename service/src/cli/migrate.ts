import { planMigration } from '../storage/sqlite/migrations/plan-migration.ts'
import type { Command } from './command.ts'
import { openStorage } from './open.ts'
import { formatTable } from './table.ts'

export const migrate: Command = {
  summary: 'migrate the database to the version of this program',
  usage: 'plumbline migrate [--dry-run]',
  help: `Shows the version of the database, the version that this program needs, and each migration between them, then
runs the migrations, each in one transaction. If it is interrupted, the same command continues. "plumbline serve"
migrates as well; other commands do not.

Stop the service first and copy the data folder: an older program cannot open the database afterwards.

  --dry-run   show the migrations and change nothing`,
  options: { 'dry-run': { type: 'boolean' } },

  async run({ dataFolder, flags, print, printError }) {
    const { from, to, steps } = planMigration(dataFolder)
    if (steps.length === 0)
      return print(`The database has version ${to}, the version that this program needs.`)
    print(`The database has version ${from}; this program needs version ${to}.`)
    const rows = steps.map(({ name, does }) => [name, does])
    for (const line of formatTable(['migration', 'description'], rows)) print(line)
    if (flags['dry-run'] === true) return print('(dry run: nothing was changed)')
    await using _storage = await openStorage({ dataFolder, printError }, { migrating: 'allow' })
    print(`The database was migrated to version ${to}.`)
  },
}
