import { isContinuousCopy } from '../backup/continuous/restore-copy.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { UsageError, type Command } from './command.ts'
import { restoreFromCopy } from './restore-copy.ts'

export const restore: Command = {
  summary: 'restore a copy into an empty data folder',
  usage: 'plumbline restore DIR [--at TIME] [--json]',
  help: `DIR is the folder of a continuous copy (backup.continuous.to). The data folder (--data) must be empty or missing:
nothing is overwritten. Before the command says that it is done, it compares the checksums of what it reads and
checks the database as "plumbline doctor" does. Then start the service with the data folder: it has the same
certificate, keys, applications, tokens and alarms.

  --at TIME   restore what was stored at this moment: 2026-03-01T12:00 in the time of this machine, or
              2026-03-01T12:00:00+08:00. Default: the newest moment of the copy
  --json      print JSON: {"copy", "instant", "pieces", "files", "checked"}`,
  options: { at: { type: 'string' }, json: { type: 'boolean' } },

  async run(context) {
    const [path, ...others] = context.positionals
    if (path === undefined || others.length > 0)
      throw new UsageError('restore needs the folder of a copy')
    if (!(await isContinuousCopy(path)))
      throw new RefusedError('absent', `There is no copy of a data folder in ${path}.`)
    await restoreFromCopy(context, path)
  },
}
