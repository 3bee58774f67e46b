import { Type, type Static } from 'typebox'
import { Account, AccountName, AccountRole } from './accounts.ts'
import { oneOf } from './common.ts'
import { opening, operation, signedIn } from './operation.ts'

/** The fewest characters of a password. */
export const PASSWORD_MINIMUM = 12

/** The most characters of a password. */
export const PASSWORD_MAXIMUM = 256

/** A password that is compared: any text, so that a wrong one is answered as a wrong one. */
const Password = Type.String({ maxLength: PASSWORD_MAXIMUM })

const NewPassword = Type.String({
  minLength: PASSWORD_MINIMUM,
  maxLength: PASSWORD_MAXIMUM,
  description: 'No common password, and without the sign-in name.',
})

const Code = Type.String({
  maxLength: 16,
  description: 'The six digits of the authenticator; spaces are ignored.',
})

const Secret = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The secret of a one-time link, behind `#/welcome/`.',
})

export type Session = Static<typeof Session>
/** The session of a browser: its account, and what it may do. */
export const Session = Type.Object({
  account: Account,
  userId: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The user of the site file whose structures the session sees; null: every structure.',
  }),
  role: AccountRole,
  scope: oneOf(['read', 'operate', 'admin'], { description: 'The scope of operations.' }),
  expiresAt: Type.Integer({
    description: 'When the session ends, without further requests; epoch milliseconds.',
  }),
})

export const signIn = operation({
  operationId: 'signIn',
  summary: 'Sign in with a password',
  method: 'POST',
  url: '/session',
  base: '/manage/v1',
  noun: 'sessions',
  config: opening('Sign-in failed'),
  schema: {
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 64 }),
      password: Password,
      code: Type.Optional(Code),
    }),
    response: { 200: Session },
  },
})

export const getSession = operation({
  operationId: 'getSession',
  summary: 'Get the session of the cookie',
  method: 'GET',
  url: '/session',
  base: '/manage/v1',
  noun: 'sessions',
  config: signedIn('Session query failed'),
  schema: { response: { 200: Session } },
})

export const signOut = operation({
  operationId: 'signOut',
  summary: 'Sign out',
  method: 'DELETE',
  url: '/session',
  base: '/manage/v1',
  noun: 'sessions',
  config: signedIn('Sign-out failed'),
  schema: { response: { 204: Type.Void() } },
})

export const changePassword = operation({
  operationId: 'changePassword',
  summary: 'Change the password of the account',
  method: 'POST',
  url: '/session/password',
  base: '/manage/v1',
  noun: 'sessions',
  config: signedIn('The password could not be changed'),
  schema: {
    body: Type.Object({ password: Password, newPassword: NewPassword }),
    response: { 204: Type.Void() },
  },
})

export type TotpSecret = Static<typeof TotpSecret>
/** A secret for an authenticator, which counts once a code of it was confirmed. */
export const TotpSecret = Type.Object({
  secret: Type.String({ description: 'Base32, for typing.' }),
  uri: Type.String({ description: '`otpauth://totp/…`, for a QR code.' }),
})

export const beginTotp = operation({
  operationId: 'beginTotp',
  summary: 'Make a secret for an authenticator',
  method: 'POST',
  url: '/session/totp',
  base: '/manage/v1',
  noun: 'sessions',
  config: signedIn('The authenticator could not be set up'),
  schema: {
    body: Type.Object({ password: Password }),
    response: { 200: TotpSecret },
  },
})

export const confirmTotp = operation({
  operationId: 'confirmTotp',
  summary: 'Ask for codes of the authenticator from now on',
  method: 'POST',
  url: '/session/totp/confirm',
  base: '/manage/v1',
  noun: 'sessions',
  config: signedIn('The authenticator could not be confirmed'),
  schema: {
    body: Type.Object({ code: Code }),
    response: { 204: Type.Void() },
  },
})

export const removeTotp = operation({
  operationId: 'removeTotp',
  summary: 'Ask for no codes from now on',
  method: 'POST',
  url: '/session/totp/remove',
  base: '/manage/v1',
  noun: 'sessions',
  config: signedIn('The authenticator could not be removed'),
  schema: {
    body: Type.Object({ password: Password }),
    response: { 204: Type.Void() },
  },
})

export type Invitation = Static<typeof Invitation>
/** What a one-time link is for. */
export const Invitation = Type.Object({
  purpose: oneOf(['first', 'invitation', 'reset'], {
    description: 'The first administrator, a new account, or a new password.',
  }),
  name: Type.Union([Type.String(), Type.Null()], {
    description: 'The sign-in name of the account; null for the first administrator.',
  }),
})

export const readInvitation = operation({
  operationId: 'readInvitation',
  summary: 'Read what a one-time link is for',
  method: 'POST',
  url: '/invitations/read',
  base: '/manage/v1',
  noun: 'sessions',
  config: opening('The link could not be read'),
  schema: {
    body: Type.Object({ secret: Secret }),
    response: { 200: Invitation },
  },
})

export const acceptInvitation = operation({
  operationId: 'acceptInvitation',
  summary: 'Set the password of a one-time link and sign in',
  method: 'POST',
  url: '/invitations/accept',
  base: '/manage/v1',
  noun: 'sessions',
  config: opening('The link could not be used'),
  schema: {
    body: Type.Object({
      secret: Secret,
      password: NewPassword,
      name: Type.Optional(AccountName),
    }),
    response: { 200: Session },
  },
})
