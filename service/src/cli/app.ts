import { RefusedError } from '../errors/refused-error.ts'
import { hashSecret } from '../domain/access/secret.ts'
import { createApplication, makeSecret, type Credentials } from '../site/applications.ts'
import type { Storage } from '../storage/storage.ts'
import { UsageError, type Command, type CommandContext } from './command.ts'
import { openStorage } from './open.ts'
import { recordAccess } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const app: Command = {
  summary: 'manage the applications that read the interface',
  usage: 'plumbline app create --user ID [--name NAME] | list | rotate ID | revoke ID  [--json]',
  help: `An application acts for its user and sees what the user was granted in the site file.

  create --user ID   makes an application; its secret is shown once and cannot be shown again
  list               every application, never a secret
  rotate ID          gives it a new secret, shown once; its tokens stay valid
  revoke ID          revokes it and its tokens; what is under way with them ends within a second

  --name NAME        what it is for, to tell it from others
  --json             prints JSON: {"appId", "appSecret"} where there is a secret`,
  options: {
    user: { type: 'string' },
    name: { type: 'string' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const [action = '', id] = context.positionals
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (run === undefined)
      throw new UsageError(`app takes one of ${Object.keys(ACTIONS).join(', ')}`)
    await using storage = await openStorage(context)
    await run(storage, context, id)
  },
}

type Action = (storage: Storage, context: CommandContext, id: string | undefined) => Promise<void>

const ACTIONS: Record<string, Action> = {
  async create(storage, context) {
    const { user, name } = context.flags
    if (typeof user !== 'string' || !/^\d{1,10}$/.test(user))
      throw new UsageError('app create needs --user with the id of a user of the site file')
    const created = await createApplication(storage, Number(user), String(name ?? ''))
    const { appId: application } = created
    recordAccess('app create', { application, user: Number(user) }, context.complain)
    printSecret(context, created)
  },

  async list(storage, { flags, print }) {
    const applications = await storage.applications.list()
    if (flags['json'] === true) return print(JSON.stringify(applications))
    if (applications.length === 0) return print('There are no applications yet.')
    const rows = applications.map(({ id, userId, name, createdAt, revokedAt }) => [
      id,
      String(userId),
      name,
      showMoment(createdAt),
      revokedAt === null ? '' : showMoment(revokedAt),
    ])
    for (const line of formatTable(['id', 'user', 'name', 'created', 'revoked'], rows)) print(line)
  },

  async rotate(storage, context, id) {
    const appSecret = makeSecret()
    const appId = needId(id)
    if (!(await storage.applications.changeSecret(appId, hashSecret(appSecret))))
      throw unknown(appId)
    recordAccess('app rotate', { application: appId }, context.complain)
    printSecret(context, { appId, appSecret })
  },

  async revoke(storage, { print, complain }, id) {
    const appId = needId(id)
    if (!(await storage.applications.revoke(appId, Date.now()))) throw unknown(appId)
    recordAccess('app revoke', { application: appId }, complain)
    print(`Application ${appId} and its tokens were revoked.`)
  },
}

function printSecret({ flags, print }: CommandContext, credentials: Credentials): void {
  if (flags['json'] === true) return print(JSON.stringify(credentials))
  print(`application id:     ${credentials.appId}`)
  print(`application secret: ${credentials.appSecret}`)
  print('The secret is not shown again.')
}

function needId(id: string | undefined): string {
  if (id === undefined) throw new UsageError('the id of the application is missing')
  return id
}

const unknown = (id: string) =>
  new RefusedError('absent', `There is no application ${id} in use; see "plumbline app list".`)
