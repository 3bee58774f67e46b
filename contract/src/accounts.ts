import { Type, type Static } from 'typebox'
import { Id, oneOf } from './common.ts'
import { administering, operation } from './operation.ts'

export type AccountRole = Static<typeof AccountRole>
/** What an account may do: the scope `read`, `operate` or `admin` of applications. */
export const AccountRole = oneOf(['viewer', 'operator', 'administrator'])

/** The name with which a person signs in. */
export const AccountName = Type.String({
  title: '1 to 64 letters a to z, digits, ".", "_", "@" or "-", a letter or digit first',
  pattern: String.raw`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`,
  description: 'Sign-in name; stored in lower case.',
})

const DisplayName = Type.String({ minLength: 1, maxLength: 100 })

const UserId = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description:
    'The user of the site file whose structures the account sees. Without it the account sees every structure, and must be an administrator.',
})

const orNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export type Account = Static<typeof Account>
/** A person who signs in. */
export const Account = Type.Object({
  id: Id,
  name: Type.String({ description: 'Sign-in name, in lower case.' }),
  displayName: Type.String(),
  role: AccountRole,
  userId: orNull('The user of the site file; null: every structure.'),
  hasTotp: Type.Boolean({ description: 'Whether signing in asks for a code.' }),
  isDisabled: Type.Boolean(),
  createdAt: Type.Integer({ description: 'Epoch milliseconds.' }),
  lastSignInAt: orNull('Epoch milliseconds; null: never.'),
})

export type InvitedAccount = Static<typeof InvitedAccount>
/** An account, and the one-time link with which its person sets a password. */
export const InvitedAccount = Type.Object({
  account: Account,
  link: Type.String({ description: 'Shown once; it holds for 72 hours.' }),
})

export type SiteUsers = Static<typeof SiteUsers>
/** The users of the site file, for whom applications and accounts act. */
export const SiteUsers = Type.Object({
  users: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      structures: Type.Union([Type.Literal('all'), Type.Array(Id)], {
        description: 'Ids of the structures that the user sees; `all`: every one, later ones too.',
      }),
    }),
  ),
})

export const listSiteUsers = operation({
  operationId: 'listSiteUsers',
  summary: 'List the users of the site file',
  method: 'GET',
  url: '/users',
  base: '/manage/v1',
  noun: 'accounts',
  config: administering('Users query failed'),
  schema: { response: { 200: SiteUsers } },
})

export const listAccounts = operation({
  operationId: 'listAccounts',
  summary: 'List accounts',
  method: 'GET',
  url: '/accounts',
  base: '/manage/v1',
  noun: 'accounts',
  config: administering('Accounts query failed'),
  schema: { response: { 200: Type.Object({ accounts: Type.Array(Account) }) } },
})

export const createAccount = operation({
  operationId: 'createAccount',
  summary: 'Create an account, with a one-time link for its password',
  method: 'POST',
  url: '/accounts',
  base: '/manage/v1',
  noun: 'accounts',
  config: administering('The account could not be created'),
  schema: {
    body: Type.Object({
      name: AccountName,
      displayName: Type.Optional(DisplayName),
      role: AccountRole,
      userId: Type.Optional(UserId),
    }),
    response: { 200: InvitedAccount },
  },
})

export const changeAccount = operation({
  operationId: 'changeAccount',
  summary: 'Change an account',
  method: 'PUT',
  url: '/accounts/:accountId',
  base: '/manage/v1',
  noun: 'accounts',
  config: administering('The account could not be changed'),
  schema: {
    params: Type.Object({ accountId: Id }),
    body: Type.Object({
      displayName: DisplayName,
      role: AccountRole,
      userId: Type.Optional(UserId),
      isDisabled: Type.Boolean({ description: 'Whether nobody signs in with it any more.' }),
    }),
    response: { 200: Account },
  },
})

export const resetAccount = operation({
  operationId: 'resetAccount',
  summary: 'Remove the password and authenticator of an account, with a one-time link for new ones',
  method: 'POST',
  url: '/accounts/:accountId/reset',
  base: '/manage/v1',
  noun: 'accounts',
  config: administering('The account could not be reset'),
  schema: {
    params: Type.Object({ accountId: Id }),
    response: { 200: InvitedAccount },
  },
})
