import assert from 'node:assert/strict'
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { makeCertificate, makeKey } from '../../src/http/security/make-certificate.ts'
import { eventually } from '../_eventually.ts'
import { startServer } from '../_postgres.ts'
import { connect, rowsOf } from './_postgres-connection.ts'

const DAY = 86_400_000

/** A server with a certificate for localhost, and files with its certificate and with another one. */
async function openServer() {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startServer())
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-tls-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const key = await makeKey()
  const certificate = await makeCertificate(key, Date.now(), ['localhost'])
  const { uid, gid } = await stat(join(server.folder, 'data'))
  for (const [name, text] of [
    ['server.key', key],
    ['server.crt', certificate],
  ] as const) {
    const file = join(server.folder, 'data', name)
    await writeFile(file, text, { mode: 0o600 })
    await chown(file, uid, gid)
  }
  const authority = join(folder, 'authority.pem')
  await writeFile(authority, certificate)
  const other = join(folder, 'other.pem')
  await writeFile(other, await makeCertificate(await makeKey(), Date.now() - DAY, ['localhost']))
  const withTls = async (is: 'on' | 'off') => {
    await server.query(`alter system set ssl = ${is}`)
    await server.query('select pg_reload_conf()')
    await eventually(async () => {
      assert.deepEqual(await server.query('show ssl'), [{ ssl: is }])
    })
  }
  await withTls('on')
  const moved = stack.move()
  return {
    authority,
    other,
    withTls,
    /** Whether a connection is encrypted; throws why there is none. */
    async isEncrypted(host: string, parameters: string): Promise<boolean> {
      await using connection = await connect(
        `${server.url.replace('@127.0.0.1:', `@${host}:`)}?${parameters}`,
      )
      const [row] = await rowsOf(
        connection,
        'select ssl::int from pg_stat_ssl where pid = pg_backend_pid()',
      )
      return row?.[0] === 1
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** An address of this machine that is not in the certificate. */
const OTHER_HOST = '[::ffff:127.0.0.1]'

describe('a connection to PostgreSQL', () => {
  test('is encrypted and verified as the URL says', async () => {
    await using server = await openServer()
    const { authority, other, isEncrypted } = server

    for (const [host, parameters, result] of [
      ['localhost', 'sslmode=disable', false],
      ['localhost', '', false],
      ['localhost', 'sslmode=prefer', true],
      ['localhost', 'sslmode=require', true],
      ['localhost', `sslmode=require&sslrootcert=${other}`, /sslrootcert=FILE/],
      ['localhost', 'sslmode=verify-ca', /self-signed certificate\. Name the authority/],
      ['localhost', `sslmode=verify-ca&sslrootcert=${authority}`, true],
      ['localhost', `sslmode=verify-full&sslrootcert=${authority}`, true],
      ['localhost', `sslmode=verify-full&sslrootcert=${other}`, /sslrootcert=FILE/],
      ['localhost', `sslmode=verify-full&sslrootcert=system`, /sslrootcert=FILE/],
      ['localhost', `sslmode=verify-full&sslrootcert=none.pem`, /none\.pem cannot be read: ENOENT/],
    ] as const)
      if (typeof result === 'boolean')
        assert.equal(await isEncrypted(host, parameters), result, parameters)
      else await assert.rejects(isEncrypted(host, parameters), { message: result }, parameters)
  })

  test('under a name that the certificate has not is only verified with verify-ca', async () => {
    await using server = await openServer()
    const { authority, isEncrypted } = server

    await assert.rejects(isEncrypted(OTHER_HOST, `sslmode=verify-full&sslrootcert=${authority}`), {
      message:
        /Use the name of the certificate in the URL, or check only its authority with sslmode=verify-ca/,
    })
    assert.equal(await isEncrypted(OTHER_HOST, `sslmode=verify-ca&sslrootcert=${authority}`), true)
  })

  test('to a server without TLS is open with prefer, and refused otherwise', async () => {
    await using server = await openServer()
    await server.withTls('off')

    assert.equal(await server.isEncrypted('localhost', 'sslmode=prefer'), false)
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      await assert.rejects(server.isEncrypted('localhost', `sslmode=${mode}`), {
        message: /does not support SSL connections\. Switch on ssl in postgresql\.conf/,
      })
  })
})
