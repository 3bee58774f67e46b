import { randomBytes } from 'node:crypto'
import { RefusedError } from '../errors/refused-error.ts'
import { hashSecret } from '../domain/access/secret.ts'
import type { Storage } from '../storage/storage.ts'
import { UsageError, type Command, type CommandContext } from './command.ts'
import { openStorage } from './open.ts'
import { recordAccess } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const key: Command = {
  summary: 'manage the keys that loggers write with',
  usage: 'plumbline key create --name NAME | list | revoke --name NAME  [--json]',
  help: `A key may only write: with it a logger sends records to /ingest/v1 and reads nothing.

  create --name NAME   makes a key; it is shown once and cannot be shown again
  list                 every key by its name
  revoke --name NAME   revokes it: requests and MQTT sessions with it end at once

  --json               prints JSON: {"key"} where there is one`,
  options: { name: { type: 'string' }, json: { type: 'boolean' } },

  async run(context) {
    const [action = ''] = context.positionals
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (run === undefined)
      throw new UsageError(`key takes one of ${Object.keys(ACTIONS).join(', ')}`)
    await using storage = await openStorage(context)
    await run(storage, context)
  },
}

const ACTIONS: Record<string, (storage: Storage, context: CommandContext) => Promise<void>> = {
  async create(storage, context) {
    const name = needName(context)
    const keys = await storage.ingestKeys.list()
    if (keys.some((one) => one.name === name && one.revokedAt === null))
      throw new RefusedError('invalid', `There is a key ${name} in use; revoke it first.`)
    const secret = `plk_${randomBytes(32).toString('hex')}`
    await storage.ingestKeys.add(name, hashSecret(secret), Date.now())
    recordAccess('key create', { key: name }, context.complain)
    if (context.flags['json'] === true) return context.print(JSON.stringify({ key: secret }))
    context.print(`ingest key: ${secret}`)
    context.print('It is not shown again. Send it as "Authorization: Bearer <key>".')
  },

  async list(storage, { flags, print }) {
    const keys = await storage.ingestKeys.list()
    if (flags['json'] === true) return print(JSON.stringify(keys))
    if (keys.length === 0) return print('There are no keys yet.')
    const rows = keys.map(({ name, createdAt, revokedAt }) => [
      name,
      showMoment(createdAt),
      revokedAt === null ? '' : showMoment(revokedAt),
    ])
    for (const line of formatTable(['name', 'created', 'revoked'], rows)) print(line)
  },

  async revoke(storage, context) {
    const name = needName(context)
    if (!(await storage.ingestKeys.revoke(name, Date.now())))
      throw new RefusedError('absent', `There is no key ${name} in use; see "plumbline key list".`)
    recordAccess('key revoke', { key: name }, context.complain)
    context.print(`Key ${name} was revoked.`)
  },
}

function needName({ flags }: CommandContext): string {
  const name = flags['name']
  if (typeof name !== 'string' || name === '') throw new UsageError('--name is missing')
  return name
}
