import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf, toError } from '../../../errors/thrown.ts'
import { describeTarget, type StorageTarget } from './storage-url.ts'

/** The text of `pg` where the server asks for a password and there is none. */
const NO_PASSWORD = /client password must be/

/** What an operator can do about a connection that was not opened, by the code or text of the error. */
const REMEDIES: readonly [pattern: RegExp, remedy: (target: StorageTarget) => string][] = [
  [
    /^28P01$/,
    () =>
      'Check the password in storage.passwordFile, in the URL, in PGPASSWORD or in the file of PGPASSFILE',
  ],
  [NO_PASSWORD, () => 'Name its file with storage.passwordFile, or set PGPASSWORD or PGPASSFILE'],
  [/^28000$/, () => 'Check the role, and pg_hba.conf of the server'],
  [
    /^3D000$/,
    ({ database }) =>
      `Create the database with "create database ${JSON.stringify(database)} encoding 'UTF8' template template0"`,
  ],
  [
    /^53300$/,
    () => 'Lower storage.poolSize of its clients, or raise max_connections of the server',
  ],
  [/^42501$/, () => 'Grant it, or run docs/postgres/roles.sql again'],
  [/^57P03$/, () => 'It is starting or stopping: try again in a moment'],
  [
    /does not support SSL/,
    () =>
      'Switch on ssl in postgresql.conf, or accept a connection that can be read on its way with sslmode=disable in the URL',
  ],
  [
    /ALTNAME_INVALID/,
    () =>
      'Use the name of the certificate in the URL, or check only its authority with sslmode=verify-ca',
  ],
  [
    /CERT|SIGNED|UNABLE_TO|SSL/,
    () =>
      'Name the authority of its certificate with sslrootcert=FILE in the URL (sslrootcert=system: those of this machine), or check no certificate with sslmode=require',
  ],
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOENT|ECONNRESET|ETIMEDOUT)$|time(d )?out|terminated/i,
    () => 'Check that the server runs and listens there',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, () => 'Check the name of the host'],
]

/** The failure to open or use a new connection as a sentence; any other error stays what it is. */
export function explainConnection(thrown: unknown, target: StorageTarget): unknown {
  if (thrown instanceof RefusedError) return thrown
  // The errors of all addresses of a name.
  const error = thrown instanceof AggregateError ? toError(thrown.errors[0]) : toError(thrown)
  const code = codeOf(error)
  const [, remedy] =
    REMEDIES.find(([pattern]) => pattern.test(code ?? '') || pattern.test(error.message)) ?? []
  if (remedy === undefined) return thrown
  // Node gives advice that is not for the operator of a service.
  const message = NO_PASSWORD.test(error.message)
    ? 'it asks for a password'
    : error.message.replace(/; if the root CA.*|\.$/s, '')
  return new RefusedError(
    'unavailable',
    `The database ${describeTarget(target)} cannot be used: ${message}. ${remedy(target)}.`,
    { cause: error },
  )
}
