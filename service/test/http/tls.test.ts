import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises'
import { Agent, get as getPlain } from 'node:http'
import { Agent as SecureAgent, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const portOf = (service: TestService): number => Number(new URL(service.service.origin).port)

/** Shakes hands; the error's code when the service refuses. */
async function shakeHands(
  service: TestService,
  options: ConnectionOptions,
): Promise<{ protocol: string; cipher: string; fingerprint: string } | string> {
  const socket: TLSSocket = connect({
    host: 'localhost',
    port: portOf(service),
    rejectUnauthorized: false,
    ...options,
  })
  try {
    await once(socket, 'secureConnect')
    const protocol = socket.getProtocol() ?? ''
    const { fingerprint256 } = socket.getPeerX509Certificate()!
    return { protocol, cipher: socket.getCipher().name, fingerprint: fingerprint256 }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  } finally {
    socket.destroy()
  }
}

/** What a client of old times offers; level 0 lets our own side try. */
const OLD_CIPHERS = [
  'AES128-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-RSA-AES128-SHA256',
  'DHE-RSA-AES128-GCM-SHA256',
]

const assertModern = async (service: TestService): Promise<void> => {
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const options: ConnectionOptions = {
      minVersion: version,
      maxVersion: version,
      ciphers: 'DEFAULT:@SECLEVEL=0',
    }
    const refused = await shakeHands(service, options)
    assert.equal(typeof refused, 'string', `${version} was accepted`)
  }
  for (const cipher of OLD_CIPHERS) {
    const options: ConnectionOptions = {
      maxVersion: 'TLSv1.2',
      ciphers: `${cipher}:@SECLEVEL=0`,
    }
    assert.equal(typeof (await shakeHands(service, options)), 'string', `${cipher} was accepted`)
  }
}

test('TLS 1.2 and 1.3 are supported, with forward secrecy and AEAD only', async () => {
  await using service = await withService({ site: SITE })

  const old = await shakeHands(service, { maxVersion: 'TLSv1.2' })
  const recent = await shakeHands(service, {})

  assert.ok(typeof old === 'object' && typeof recent === 'object')
  assert.deepEqual([old.protocol, recent.protocol], ['TLSv1.2', 'TLSv1.3'])
  assert.match(old.cipher, /^ECDHE-ECDSA-(AES\d+-GCM|CHACHA20)/)
  await assertModern(service)
})

test('plain HTTP on the port gets no data', async () => {
  await using service = await withService({ site: SITE })
  const token = await service.issueToken()
  const agent = new Agent({ keepAlive: false })

  const [error] = await once(
    getPlain({
      host: 'localhost',
      port: portOf(service),
      path: `/api/v1/structures?token=${token}`,
      agent,
    }),
    'error',
  )
  const socket = connectPlain(portOf(service), 'localhost')
  socket.end(`GET /api/v1/structures?token=${token} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const received: Buffer[] = []
  for await (const chunk of socket.on('error', () => {})) received.push(chunk as Buffer)

  assert.ok(error instanceof Error)
  assert.ok(!Buffer.concat(received).toString().includes('长江'))
  assert.ok(!Buffer.concat(received).toString().startsWith('HTTP/1.1 2'))
})

test('a certificate is made at the first start, for this machine, its key for its owner only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-'))
  try {
    const own = { 'http.certificate': '', 'http.key': '' }
    const first = await withService({ site: SITE, folder, settings: own })
    const made = await shakeHands(first, {})
    const { mode } = await stat(join(folder, 'tls', 'key.pem'))
    const { mode: folderMode } = await stat(join(folder, 'tls'))
    const answer = await first.call('/openapi.json')
    await first[Symbol.asyncDispose]()
    await using second = await withService({ folder, settings: own })
    const kept = await shakeHands(second, {})

    assert.equal(answer.status, 200)
    assert.equal(mode & 0o777, 0o600)
    assert.equal(folderMode & 0o777, 0o700)
    assert.deepEqual(kept, made)
    const certificate = new X509Certificate(await readFile(join(folder, 'tls', 'certificate.pem')))
    assert.equal(certificate.checkHost('localhost'), 'localhost')
    assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a certificate of the operator is used, and one that cannot be read is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-tls-'))
  try {
    const { certificate, key } = await ensureCertificate(folder, undefined, Date.now())
    await using service = await withService({
      site: SITE,
      settings: { 'http.certificate': certificate, 'http.key': key },
    })

    const shaken = await shakeHands(service, {})

    assert.ok(typeof shaken === 'object')
    const { fingerprint256 } = new X509Certificate(await readFile(certificate))
    assert.equal(shaken.fingerprint, fingerprint256)
    const settings = { 'http.certificate': join(folder, 'missing.pem'), 'http.key': key }
    await assert.rejects(
      withService({ settings }),
      /http\.certificate: the file .*missing\.pem cannot be read: ENOENT\./,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a renewed certificate is read without dropping a connection or weakening TLS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-tls-'))
  try {
    const inUse = await ensureCertificate(join(folder, 'in-use'), undefined, Date.now())
    const renewed = await ensureCertificate(join(folder, 'renewed'), undefined, Date.now())
    await using service = await withService({
      site: SITE,
      settings: { 'http.certificate': inUse.certificate, 'http.key': inUse.key },
      certificateCheckMilliseconds: 20,
    })
    const agent = new SecureAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    const before = await shakeHands(service, {})
    const port = await localPortOver(service, agent)

    // The certificate comes first: until its key is there, the old pair stays in use.
    await copyFile(renewed.certificate, inUse.certificate)
    await sleep(100)
    assert.deepEqual(await shakeHands(service, {}), before)
    await copyFile(renewed.key, inUse.key)
    await utimes(inUse.key, new Date(), new Date())
    const { fingerprint256 } = new X509Certificate(await readFile(renewed.certificate))
    let after = before
    for (let attempt = 0; attempt < 100; attempt++) {
      after = await shakeHands(service, {})
      if (typeof after === 'object' && after.fingerprint === fingerprint256) break
      await sleep(20)
    }

    assert.ok(typeof after === 'object')
    assert.equal(after.fingerprint, fingerprint256)
    assert.equal(await localPortOver(service, agent), port, 'the open connection was dropped')
    await assertModern(service)
    agent.destroy()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Sends a request over a kept connection; the client's port shows whether it is the same one. */
async function localPortOver(
  service: TestService,
  agent: SecureAgent,
): Promise<number | undefined> {
  const sent = request(`${service.service.origin}/openapi.json`, { agent })
  sent.end()
  const [response] = await once(sent, 'response')
  const port = sent.socket?.localPort
  response.resume()
  await once(response, 'end')
  assert.equal(response.statusCode, 200)
  return port
}
