import { readFile } from 'node:fs/promises'
import { RefusedError } from '../errors/refused-error.ts'
import type { SiteEffect } from '../site/apply/site-effect.ts'
import { UsageError, type Command, type CommandContext } from './command.ts'
import { openStorage } from './open.ts'
import { recordAccess, recordWrite } from './record-command.ts'

export const site: Command = {
  summary: 'declare structures, stations, users and thresholds from a file',
  usage: 'plumbline site apply FILE [--dry-run] [--delete-records] [--remove-users]',
  help: `  apply FILE         makes the site what the file declares; a running service follows at once.
                     Applying the same file again changes nothing. A wrong file is refused whole,
                     with the place, the line and the reason of every problem.

  --dry-run          shows the difference and changes nothing
  --delete-records   also removes stations and devices of which records are kept, records included
  --remove-users     also removes users that the file leaves out though they have access to
                     structures of other files

Applications and tokens of a removed user are revoked for good. A user that is put back gets new ones
by "plumbline app create".

The form of the file: docs/site-file.md; its JSON Schema for editors: docs/site.schema.json.`,
  options: {
    'dry-run': { type: 'boolean' },
    'delete-records': { type: 'boolean' },
    'remove-users': { type: 'boolean' },
  },

  async run(context) {
    const [action, file] = context.positionals
    if (action !== 'apply') throw new UsageError('site takes the word apply')
    if (file === undefined) throw new UsageError('the site file is missing')
    await apply(context, file)
  },
}

async function apply(
  { dataFolder, flags, print, complain }: CommandContext,
  fileName: string,
): Promise<void> {
  const text = await readFile(fileName, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RefusedError('absent', `The site file ${fileName} cannot be read: ${error.code}.`)
  })
  // Loaded here, so that serving needs neither the YAML library nor the file's schema.
  const { applySite } = await import('../site/apply/apply.ts')
  await using storage = await openStorage({ dataFolder, complain })
  const dryRun = flags['dry-run'] === true
  const deleteRecords = flags['delete-records'] === true
  const removeUsers = flags['remove-users'] === true
  const onApplied = ({ users, revoked, structures }: SiteEffect): void => {
    const isAccess = users.length > 0 || revoked > 0
    const record = isAccess ? recordAccess : recordWrite
    const details = { ...(isAccess ? { users, revoked } : {}), structures }
    record('site apply', details, complain)
  }
  const options = { dryRun, deleteRecords, removeUsers, onApplied }
  for (const line of await applySite(storage, { text, fileName }, options)) print(line)
  if (dryRun) print('(dry run: nothing was changed)')
}
