import { loadDemo } from '../demo/load.ts'
import type { SecurityDetails } from '../domain/access/security-log.ts'
import type { Command } from './command.ts'
import { openStorage } from './open.ts'
import { recordAccess, recordWrite } from './record-command.ts'

export const demo: Command = {
  summary: 'load the demo site with real measurements',
  usage: 'plumbline demo',
  help: `Loads two bridges and a slope into the data folder, as "plumbline serve --demo" does. Existing data
stays, and running the command again changes nothing.`,
  options: {},

  async run(context) {
    const { dataFolder, print, printError } = context
    await using storage = await openStorage(context, { mayCreate: true })
    await recordWrite(storage, 'demo', {}, printError)
    const onAccess = (details: SecurityDetails): Promise<void> =>
      recordAccess(storage, 'demo', details, printError)
    await loadDemo(storage, dataFolder, { print, onAccess })
  },
}
