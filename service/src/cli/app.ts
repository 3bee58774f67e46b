import type { AppScope } from '@plumbline/contract'
import { RefusedError } from '../errors/refused-error.ts'
import { APP_SCOPES, DEFAULT_APP_SCOPE, findAppScope } from '../domain/access/app-scope.ts'
import { createApplication, renewSecret, type Credentials } from '../site/applications.ts'
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

export const app: Command = {
  summary: 'manage the applications that read data',
  usage:
    'plumbline app create --user ID [--name NAME] [--scope SCOPE] | list | scope ID --scope SCOPE | rotate ID | revoke ID  [--json]',
  help: `An application reads in the name of its user and has access to that user's structures.

  create --user ID   create an application; its secret is shown only once
  list               list all applications, without secrets
  scope ID           change the scope of an application, also for its tokens in use
  rotate ID          replace the secret of an application, shown only once; its tokens stay valid
  revoke ID          revoke an application and its tokens; requests under way end within a second

  --name NAME        a name that describes the application
  --scope SCOPE      read (default): read the interface and management; operate: also confirm
                     alarms, set thresholds and maintenance, enter readings, mark values, recompute
                     and replay; admin: also delete records and rejects
  --json             print JSON; {"appId", "appSecret"} for create and rotate`,
  options: {
    user: { type: 'string' },
    name: { type: 'string' },
    scope: { type: 'string' },
    json: { type: 'boolean' },
  },
  subcommands: ['create', 'list', 'scope', 'rotate', 'revoke'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    await using storage = await openStorage(context)
    await run(storage, context, context.positionals[1])
  },
}

type Action = (storage: Storage, context: CommandContext, id: string | undefined) => Promise<void>

const ACTIONS: Record<string, Action> = {
  async create(storage, context) {
    const { user, name } = context.flags
    if (typeof user !== 'string' || !/^\d{1,10}$/.test(user))
      throw new UsageError('app create needs --user with the id of a user from the site file')
    const userId = Number(user)
    const scope = readScope(context) ?? DEFAULT_APP_SCOPE
    const created = await createApplication(storage, { userId, name: String(name ?? ''), scope })
    const { appId: application } = created
    await recordAccess(
      storage,
      'app create',
      { application, user: userId, scope },
      context.printError,
    )
    printSecret(context, created)
  },

  async list(storage, { flags, print }) {
    const applications = await storage.applications.list()
    if (flags['json'] === true) return print(JSON.stringify(applications))
    if (applications.length === 0) return print('There are no applications.')
    const rows = applications.map(({ id, userId, name, scope, createdAt, revokedAt }) => [
      id,
      String(userId),
      name,
      scope,
      showMoment(createdAt),
      revokedAt === null ? '' : showMoment(revokedAt),
    ])
    const head = ['id', 'user', 'name', 'scope', 'created', 'revoked']
    for (const line of formatTable(head, rows)) print(line)
  },

  async scope(storage, context, id) {
    const application = needId(id)
    const scope = readScope(context)
    if (scope === undefined) throw new UsageError('app scope needs --scope read, operate or admin')
    if (!(await storage.applications.changeScope(application, scope))) throw unknown(application)
    await recordAccess(storage, 'app scope', { application, scope }, context.printError)
    context.print(`Application ${application} has the scope ${scope}.`)
  },

  async rotate(storage, context, id) {
    const appId = needId(id)
    const renewed = await renewSecret(storage.applications, appId)
    if (renewed === undefined) throw unknown(appId)
    await recordAccess(storage, 'app rotate', { application: appId }, context.printError)
    printSecret(context, renewed)
  },

  async revoke(storage, context, id) {
    const appId = needId(id)
    if (!(await storage.applications.revoke(appId, Date.now()))) throw unknown(appId)
    await recordAccess(storage, 'app revoke', { application: appId }, context.printError)
    const sentence = `Application ${appId} and its tokens were revoked.`
    printResult(context, { appId, isRevoked: true }, [sentence])
  },
}

function printSecret({ flags, print }: CommandContext, credentials: Credentials): void {
  if (flags['json'] === true) return print(JSON.stringify(credentials))
  print(`application id:     ${credentials.appId}`)
  print(`application secret: ${credentials.appSecret}`)
  print('The secret is not shown again.')
}

function readScope({ flags: { scope } }: CommandContext): AppScope | undefined {
  if (scope === undefined) return undefined
  const found = findAppScope(String(scope))
  if (found !== undefined) return found
  throw new UsageError(`--scope must be ${APP_SCOPES.join(', ')}, not ${JSON.stringify(scope)}`)
}

function needId(id: string | undefined): string {
  if (id === undefined) throw new UsageError('the application id is missing')
  return id
}

const unknown = (id: string) =>
  new RefusedError('absent', `There is no active application ${id}; see "plumbline app list".`)
