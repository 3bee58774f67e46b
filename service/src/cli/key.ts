import { randomBytes } from 'node:crypto'
import { RefusedError } from '../errors/refused-error.ts'
import { hashSecret } from '../domain/access/secret.ts'
import type { Storage } from '../storage/storage.ts'
import {
  chooseSubcommand,
  printResult,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { openStorage } from './open.ts'
import { recordAccess } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const key: Command = {
  summary: 'manage the ingest keys that devices write with',
  usage: 'plumbline key create --name NAME | list | revoke --name NAME  [--json]',
  help: `With an ingest key a device sends records to /ingest/v1. A key cannot read.

  create --name NAME   create a key; it is shown only once
  list                 list all keys by name
  revoke --name NAME   revoke a key; its requests and MQTT sessions end immediately

  --json               print JSON; {"key"} for create`,
  options: { name: { type: 'string' }, json: { type: 'boolean' } },
  subcommands: ['create', 'list', 'revoke'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    await using storage = await openStorage(context, { mayCreate: run === ACTIONS.create })
    await run(storage, context)
  },
}

const ACTIONS: Record<string, (storage: Storage, context: CommandContext) => Promise<void>> = {
  async create(storage, context) {
    const name = needName(context)
    const keys = await storage.ingestKeys.list()
    if (keys.some((one) => one.name === name && one.revokedAt === null))
      throw new RefusedError('invalid', `There is already an active key ${name}; revoke it first.`)
    const secret = `plk_${randomBytes(32).toString('hex')}`
    await storage.ingestKeys.add(name, hashSecret(secret), Date.now())
    recordAccess('key create', { key: name }, context.printError)
    if (context.flags['json'] === true) return context.print(JSON.stringify({ key: secret }))
    context.print(`ingest key: ${secret}`)
    context.print('The key is not shown again. Send it as "Authorization: Bearer KEY".')
  },

  async list(storage, { flags, print }) {
    const keys = await storage.ingestKeys.list()
    if (flags['json'] === true) return print(JSON.stringify(keys))
    if (keys.length === 0) return print('There are no keys.')
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
      throw new RefusedError('absent', `There is no active key ${name}; see "plumbline key list".`)
    recordAccess('key revoke', { key: name }, context.printError)
    printResult(context, { name, isRevoked: true }, [`Key ${name} was revoked.`])
  },
}

function needName({ flags }: CommandContext): string {
  const name = flags['name']
  if (typeof name !== 'string' || name === '') throw new UsageError('--name is missing')
  return name
}
