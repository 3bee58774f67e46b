import type { PoolConfig } from 'pg'
import { RefusedError } from '../../../errors/refused-error.ts'
import { isSocket, readStorageUrl, type StorageTarget } from './storage-url.ts'

/** The settings of connections beside the URL. */
export type ConnectionSettings = Readonly<{
  /** The text of the file that `storage.passwordFile` names. */
  password?: string | undefined
  /** The most connections that are open at the same time. */
  poolSize: number
  statementTimeoutSeconds: number
}>

/** The texts of the files that a URL names. */
export type TlsFiles = Readonly<{
  rootCertificates?: string | readonly string[] | undefined
  certificate?: string | undefined
  key?: string | undefined
}>

/** Seconds after which an unused connection is closed. */
const IDLE_SECONDS = 60

/** Turns the URL of a database and the settings into the options of a pool. */
export const connectionSettings = (
  url: string,
  settings: ConnectionSettings,
  files: TlsFiles = {},
): PoolConfig => poolOptions(readStorageUrl(url), settings, files)

/** Turns a target and the settings into the options of a pool. */
export function poolOptions(
  target: StorageTarget,
  { password, poolSize, statementTimeoutSeconds }: ConnectionSettings,
  files: TlsFiles = {},
): PoolConfig {
  if (password !== undefined && target.password !== undefined)
    throw new RefusedError(
      'invalid',
      'The password of the database is in the storage URL and in storage.passwordFile: leave it out of the URL.',
    )
  const secret = password ?? target.password
  return {
    host: target.host,
    port: target.port,
    user: target.user,
    database: target.database,
    // Without one the driver looks for PGPASSWORD, then for PGPASSFILE.
    ...(secret === undefined ? {} : { password: secret }),
    ssl: tlsOptions(target, files),
    application_name: target.applicationName,
    ...(target.options === undefined ? {} : { options: target.options }),
    max: poolSize,
    idleTimeoutMillis: IDLE_SECONDS * 1000,
    connectionTimeoutMillis: target.connectTimeoutSeconds * 1000,
    statement_timeout: statementTimeoutSeconds * 1000,
    keepAlive: true,
  }
}

/** As libpq: `require` verifies the authority where one is named, and a socket is never encrypted. */
function tlsOptions(
  { host, sslmode, sslrootcert }: StorageTarget,
  { rootCertificates, certificate, key }: TlsFiles,
): NonNullable<PoolConfig['ssl']> {
  if (sslmode === 'disable' || isSocket(host)) return false
  const own = {
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  }
  const isVerified =
    sslmode.startsWith('verify') || (sslmode === 'require' && sslrootcert !== undefined)
  if (!isVerified) return { ...own, rejectUnauthorized: false }
  return {
    ...own,
    ...(rootCertificates === undefined ? {} : { ca: [rootCertificates].flat() }),
    rejectUnauthorized: true,
    ...(sslmode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}
