import { planMigration } from '../storage/sqlite/migrations/plan-migration.ts'
import type { Command } from './command.ts'
import { openStorage } from './open.ts'
import { formatTable } from './table.ts'

export const migrate: Command = {
  summary: 'bring the database to the version of this program',
  usage: 'plumbline migrate [--dry-run]',
  help: `Shows the version that the database has and the one this program needs, and each step between them,
then takes the steps, each whole or not at all. Stopped half way, the same command goes on. A service
that is started does the same; no other command migrates.

Back up first: stop the service and copy the data folder. An older program cannot open the database
afterwards. A service of the older version that still runs has to be stopped; the command says so.

  --dry-run   shows the steps and changes nothing`,
  options: { 'dry-run': { type: 'boolean' } },

  async run({ dataFolder, flags, print, complain }) {
    const { from, to, steps } = planMigration(dataFolder)
    if (steps.length === 0)
      return print(`The database has version ${to}, which this program needs.`)
    print(`The database has version ${from}, this program needs ${to}.`)
    const rows = steps.map(({ name, does }) => [name, does])
    for (const line of formatTable(['step', 'what it does'], rows)) print(line)
    if (flags['dry-run'] === true) return print('(dry run: nothing was changed)')
    await using _storage = await openStorage({ dataFolder, complain }, { migrating: 'allow' })
    print(`The database has version ${to} now.`)
  },
}
