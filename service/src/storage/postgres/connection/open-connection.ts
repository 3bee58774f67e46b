import { readFile } from 'node:fs/promises'
import { getCACertificates } from 'node:tls'
import pg from 'pg'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf, toError } from '../../../errors/thrown.ts'
import { poolOptions, type ConnectionSettings, type TlsFiles } from './connection-settings.ts'
import { explainConnection } from './explain-connection.ts'
import type { SqlConnection } from './sql-connection.ts'
import { readStorageUrl, type StorageTarget } from './storage-url.ts'

/**
 * The options of a pool for the database of a URL, with the texts of the files that it names. With
 * `sslmode=prefer` one connection finds out whether the server offers TLS.
 */
export async function resolveOptions(
  url: string,
  settings: ConnectionSettings,
): Promise<pg.PoolConfig> {
  const target = readStorageUrl(url)
  const options = poolOptions(target, settings, await readFiles(target))
  if (target.sslmode !== 'prefer' || options.ssl === false) return options
  try {
    await (await connect(options)).end()
    return options
  } catch (error) {
    if (!/SSL/.test(toError(error).message)) throw explainConnection(error, target)
    return { ...options, ssl: false }
  }
}

/** Opens one connection, for commands about the database itself. */
export async function openConnection(
  url: string,
  settings: ConnectionSettings,
): Promise<SqlConnection & AsyncDisposable> {
  const target = readStorageUrl(url)
  const options = await resolveOptions(url, settings)
  const client = await connect(options).catch((error: unknown) => {
    throw explainConnection(error, target)
  })
  return {
    query: (sql, values) =>
      client.query(sql, values).catch((error: unknown) => {
        throw explainConnection(error, target)
      }),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

async function connect(options: pg.PoolConfig): Promise<pg.Client> {
  const client = new pg.Client(options)
  // A connection that ends later fails its next query, which says so.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    // A server that was refused here, such as one that asks for a password, would wait for more.
    client.end().catch(() => undefined)
    throw error
  }
}

async function readFiles({ sslrootcert, sslcert, sslkey }: StorageTarget): Promise<TlsFiles> {
  return {
    rootCertificates:
      sslrootcert === 'system'
        ? getCACertificates('system')
        : await readPemFile(sslrootcert, 'sslrootcert'),
    certificate: await readPemFile(sslcert, 'sslcert'),
    key: await readPemFile(sslkey, 'sslkey'),
  }
}

const readPemFile = async (file: string | undefined, name: string): Promise<string | undefined> =>
  file === undefined
    ? undefined
    : readFile(file, 'utf8').catch((error: unknown) => {
        throw new RefusedError(
          'invalid',
          `The storage URL: ${name} ${file} cannot be read: ${codeOf(error) ?? ''}.`,
        )
      })
