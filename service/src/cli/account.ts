import { ACCOUNT_ROLES, findAccountRole } from '../domain/access/account-roles.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { changeAccount, createAccount, linkOf, makeLink } from '../site/accounts.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { LinkPurpose, Storage, StoredAccount } from '../storage/storage.ts'
import {
  chooseSubcommand,
  printResult,
  readText,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { recordAccess } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const account: Command = {
  summary: 'manage the accounts with which people sign in',
  usage:
    'plumbline account create NAME --role ROLE [--user ID] [--display-name TEXT] | list | reset NAME | disable NAME | enable NAME  [--json]',
  help: `A person signs in at the console with an account. It sees the structures of its user.

  create NAME    create an account, and print a one-time link with which its person sets a password
  list           list all accounts
  reset NAME     remove password and authenticator, end all sessions, and print a one-time link
  disable NAME   let nobody sign in with it; its sessions end within a second
  enable NAME    let its person sign in again

  --role ROLE          viewer: read; operator: also confirm alarms, set thresholds and the like;
                       administrator: everything
  --user ID            a user of the site file; without it an administrator sees every structure
  --display-name TEXT  the name that the console shows
  --json               print JSON; {"account", "link"} for create and reset`,
  options: {
    role: { type: 'string' },
    user: { type: 'string' },
    'display-name': { type: 'string' },
    json: { type: 'boolean' },
  },
  subcommands: ['create', 'list', 'reset', 'disable', 'enable'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    await using storage = await openStorage(context)
    await run(storage, context)
  },
}

const ACTIONS: Record<string, (storage: Storage, context: CommandContext) => Promise<void>> = {
  async create(storage, context) {
    const { flags, printError } = context
    const name = needName(context)
    const role = findAccountRole(String(flags['role'] ?? ''))
    if (role === undefined)
      throw new UsageError(`account create needs --role: ${ACCOUNT_ROLES.join(', ')}`)
    const displayName = readText(flags, 'display-name') ?? name
    const plan = { name, displayName, role, userId: readUser(flags['user']) }
    const catalogue = await openCatalogue(storage.site)()
    const created = await createAccount(storage, plan, { catalogue, now: Date.now() })
    await recordAccess(storage, 'account create', { account: created.name, role }, printError)
    await printLink(storage, context, created, 'invitation')
  },

  async list(storage, { flags, print }) {
    const accounts = await storage.accounts.list()
    if (flags['json'] === true) return print(JSON.stringify(accounts))
    if (accounts.length === 0) return print('There are no accounts.')
    const rows = accounts.map(({ name, role, userId, hasTotp, isDisabled, lastSignInAt }) => [
      name,
      role,
      userId === null ? 'every structure' : String(userId),
      hasTotp ? 'yes' : '',
      isDisabled ? 'yes' : '',
      lastSignInAt === null ? '' : showMoment(lastSignInAt),
    ])
    const head = ['name', 'role', 'user', 'authenticator', 'disabled', 'last sign-in']
    for (const line of formatTable(head, rows)) print(line)
  },

  async reset(storage, context) {
    const found = await getAccount(storage, context)
    await storage.accounts.reset(found.id, Date.now())
    await recordAccess(storage, 'account reset', { account: found.name }, context.printError)
    await printLink(storage, context, { ...found, hasTotp: false }, 'reset')
  },

  disable: (storage, context) => setDisabled(storage, context, true),
  enable: (storage, context) => setDisabled(storage, context, false),
}

async function setDisabled(
  storage: Storage,
  context: CommandContext,
  isDisabled: boolean,
): Promise<void> {
  const found = await getAccount(storage, context)
  const catalogue = await openCatalogue(storage.site)()
  const values = { ...found, isDisabled }
  const changed = await changeAccount(storage, found, values, { catalogue, now: Date.now() })
  const word = isDisabled ? 'disable' : 'enable'
  await recordAccess(storage, `account ${word}`, { account: found.name }, context.printError)
  printResult(context, { account: changed }, [`Account ${found.name} was ${word}d.`])
}

async function printLink(
  storage: Storage,
  context: CommandContext,
  created: StoredAccount,
  purpose: LinkPurpose,
): Promise<void> {
  const config = await loadSettings(context)
  const secret = await makeLink(storage, { purpose, accountId: created.id, now: Date.now() })
  const origin = config['http.publicUrl'].replace(/\/+$/, '')
  const link = linkOf(origin === '' ? `https://localhost:${config['http.port']}` : origin, secret)
  printResult(context, { account: created, link }, [
    `account: ${created.name}`,
    `link:    ${link}`,
    'The link is not shown again. It holds for 72 hours and sets the password.',
  ])
}

async function getAccount(storage: Storage, context: CommandContext): Promise<StoredAccount> {
  const name = needName(context).toLowerCase()
  const found = await storage.accounts.findByName(name)
  const stored = found && (await storage.accounts.find(found.id))
  if (stored !== undefined) return stored
  throw new RefusedError('absent', `There is no account ${name}; see "plumbline account list".`)
}

function needName({ positionals }: CommandContext): string {
  const [, name] = positionals
  if (name === undefined) throw new UsageError('the name of the account is missing')
  if (!/^[a-z0-9][\w.@-]{0,63}$/i.test(name))
    throw new UsageError(
      'the name must be 1 to 64 letters a to z, digits, ".", "_", "@" or "-", a letter or digit first',
    )
  return name
}

function readUser(flag: CommandContext['flags'][string]): number | null {
  if (flag === undefined) return null
  if (typeof flag !== 'string' || !/^[1-9]\d{0,9}$/.test(flag))
    throw new UsageError('--user must be the id of a user from the site file')
  return Number(flag)
}
