import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { connect } from 'node:tls'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { ensureCertificate, readCertificate } from '../../src/http/security/certificate.ts'
import { describeCertificate } from '../../src/http/security/describe-certificate.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { startChild } from '../_child.ts'
import { needCommand } from '../_debian.ts'
import { callHttps, withService } from '../_service.ts'
import { eventually } from '../_eventually.ts'

const run = promisify(execFile)
const DAY = 86_400_000
const OWN = { 'http.certificate': '', 'http.key': '' }

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-certificate-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const read = async (file: string) => new X509Certificate(await readFile(file))

const keyOf = ({ publicKey }: X509Certificate): string =>
  publicKey.export({ format: 'pem', type: 'spki' }).toString()

/** A folder with a trusted clock. */
async function trustedFolder(t: TestContext): Promise<string> {
  const folder = await folderFor(t)
  await using storage = await openSqlite(folder)
  await storage.clock.write(confirmedAt(Date.now()), 0)
  return folder
}

/** The serial number of the certificate that new connections get. */
async function served(origin: string): Promise<string> {
  const socket = connect({ port: Number(new URL(origin).port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerX509Certificate()!
  socket.destroy()
  return serialNumber
}

test('the certificate is valid for this machine’s server only, for two years', async (t) => {
  const now = Date.now()
  const { certificate: file } = await ensureCertificate(await folderFor(t), undefined, now)

  const certificate = await read(file)
  const { stdout } = await run('openssl', ['x509', '-in', file, '-noout', '-text'])

  assert.equal(certificate.ca, false)
  assert.match(stdout, /Basic Constraints: critical\s+CA:FALSE/)
  assert.match(stdout, /Key Usage: critical\s+Digital Signature\s*\n/)
  assert.match(stdout, /Extended Key Usage:\s+TLS Web Server Authentication\s*\n/)
  assert.match(stdout, /Alternative Name:\s+DNS:localhost, IP Address:127\.0\.0\.1/)
  assert.equal(Math.round((certificate.validToDate.getTime() - now) / DAY), 730)
})

test('services that start at once in a new folder serve the certificate that it keeps', async (t) => {
  const folder = await folderFor(t)
  await using children = new AsyncDisposableStack()

  const starting = Array.from({ length: 3 }, async () =>
    children.use(await startChild(folder, { PLUMBLINE_OPS_PORT: '0' })),
  )
  const started = await Promise.allSettled(starting)
  const serials = await Promise.all(
    started.map((one) =>
      one.status === 'fulfilled' ? served(one.value.origin) : String(one.reason),
    ),
  )
  const files = await ensureCertificate(folder, undefined, Date.now())
  const { serialNumber } = new X509Certificate((await readCertificate(files)).cert)

  assert.deepEqual(serials, [serialNumber, serialNumber, serialNumber])
})

test('curl, Node and openssl trust the certificate by its file', async (t) => {
  const folder = await folderFor(t)
  await using service = await withService({ folder, settings: OWN })
  const { certificateFile: file, origin } = service.service

  const response = await callHttps(`${origin}/openapi.json`, await readFile(file, 'utf8'), {})
  const curl = await run('curl', ['-sS', '--noproxy', '*', '--cacert', file, `${origin}/nothing`])
  const checks = ['-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'localhost']
  const verified = await run('openssl', ['verify', ...checks, '-CAfile', file, file])

  assert.equal(response.status, 200)
  assert.match(curl.stdout, /NotFound/)
  assert.match(verified.stdout, /: OK/)
})

test('a running service makes the next certificate two months ahead, and uses it a month later', async (t) => {
  const folder = await trustedFolder(t)
  let now = Date.now()
  await using service = await withService({
    folder,
    settings: OWN,
    now: () => now,
    monotonic: () => now,
    certificateCheckMilliseconds: 20,
  })
  const { certificateFile: file, origin } = service.service
  const nextFile = join(folder, 'tls', 'certificate-next.pem')
  const first = await read(file)
  const names = () => readdir(join(folder, 'tls'))

  now += 669 * DAY
  await new Promise((resume) => setTimeout(resume, 200))
  assert.deepEqual(await names(), ['certificate.pem', 'key.pem'])
  now += 2 * DAY
  await eventually(async () => assert.ok((await names()).includes('certificate-next.pem')))
  const next = await read(nextFile)
  now += 28 * DAY
  await new Promise((resume) => setTimeout(resume, 200))
  assert.equal(await served(origin), first.serialNumber)
  now += 2 * DAY
  await eventually(async () => assert.equal(await served(origin), next.serialNumber))

  assert.notEqual(next.serialNumber, first.serialNumber)
  assert.equal(keyOf(next), keyOf(first))
  assert.equal((await read(file)).serialNumber, next.serialNumber)
  const renewed = service.logged.filter((line) => line.includes('was renewed'))
  assert.equal(renewed.length, 1)
  assert.match(renewed[0]!, /"level":30.*: it ends on /)
  const said = service.logged.filter((line) => line.includes('Until then copy'))
  assert.equal(said.length, 1)
  assert.match(
    said[0]!,
    /will be renewed on \d{4}-\d\d-\d\d: it ends on \S+\. Until then copy .*certificate-next\.pem/,
  )
})

test('an expired certificate is renewed at the start', async (t) => {
  const folder = await trustedFolder(t)
  const { certificate: file } = await ensureCertificate(folder, undefined, Date.now() - 740 * DAY)
  const ended = await read(file)

  await using service = await withService({ folder, settings: OWN })

  const now = await read(file)
  assert.ok(now.validToDate.getTime() > Date.now() + 700 * DAY)
  assert.equal(keyOf(now), keyOf(ended))
  assert.equal(await served(service.service.origin), now.serialNumber)
  const said = service.logged.find((line) => line.includes('was renewed'))
  assert.match(said ?? '', /"level":40.*with the same key: it ended on \d{4}-\d\d-\d\d/)
})

/** As openssl makes one that may sign others, valid for ten years. */
async function makeAuthority(folder: string, name: string): Promise<{ certificate: string }> {
  const { certificate, key } = await ensureCertificate(folder, undefined, Date.now())
  const days = ['-days', '3650', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost']
  await run('openssl', ['req', '-x509', '-key', key, '-out', certificate, ...days])
  return { certificate }
}

test('an earlier certificate that can sign others is used for a month more, and then replaced', async (t) => {
  const folder = await trustedFolder(t)
  const { certificate: file } = await makeAuthority(folder, 'Plumbline')
  const former = await read(file)
  let now = Date.now()
  await using service = await withService({
    folder,
    settings: OWN,
    now: () => now,
    monotonic: () => now,
    certificateCheckMilliseconds: 20,
  })
  const { origin } = service.service

  assert.equal(former.ca, true)
  assert.equal(await served(origin), former.serialNumber)
  now += 31 * DAY
  await eventually(async () => assert.notEqual(await served(origin), former.serialNumber))
  assert.equal((await read(file)).ca, false)
})

test('a certificate of another issuer is left alone, in the data folder too', async (t) => {
  const folder = await trustedFolder(t)
  const { certificate } = await makeAuthority(folder, 'bridge.example')
  const before = await readFile(certificate, 'utf8')
  await copyFile(certificate, join(folder, 'copy.pem'))

  await using _ = await withService({ folder, settings: OWN, certificateCheckMilliseconds: 20 })
  await new Promise((resume) => setTimeout(resume, 100))

  assert.equal(await readFile(certificate, 'utf8'), before)
  assert.deepEqual((await readdir(join(folder, 'tls'))).toSorted(), ['certificate.pem', 'key.pem'])
})

test('a damaged next certificate is made again', async (t) => {
  const folder = await trustedFolder(t)
  const { certificate } = await ensureCertificate(folder, undefined, Date.now() - 690 * DAY)
  const next = join(folder, 'tls', 'certificate-next.pem')
  await writeFile(next, 'cut off')

  await using _ = await withService({ folder, settings: OWN })

  assert.ok((await read(next)).validToDate > (await read(certificate)).validToDate)
})

test('the programs of docs/certificates.md trust a copy of the certificate', async (t) => {
  await needCommand('python3', 'python3')
  const folder = await folderFor(t)
  await using service = await withService({ folder, settings: OWN })
  const { certificateFile, origin } = service.service
  const page = await readFile(new URL('../../../docs/certificates.md', import.meta.url), 'utf8')
  const blocks = Array.from(page.matchAll(/```(\w+)\n([^]*?)```/g), ([, language, text = '']) => ({
    language,
    text: text.replace(/https:\/\/[\w.]+:8443/, origin),
  }))
  const find = (language: string, word: string): string =>
    blocks.find((block) => block.language === language && block.text.includes(word))!.text
  await copyFile(certificateFile, join(folder, 'certificate.pem'))
  await writeFile(join(folder, 'one.mjs'), find('js', 'node:https'))
  await writeFile(join(folder, 'one.py'), find('python', 'urlopen'))
  const inFolder = { cwd: folder, env: { ...process.env, NO_PROXY: '*', no_proxy: '*' } }
  const { pin } = describeCertificate('', await readFile(certificateFile, 'utf8'), Date.now())
  const byFile = find('sh', '--cacert')
  const byPin = find('sh', '--pinnedpubkey').replace('sha256//HASH', pin)
  const silent = '-sS -o /dev/null -w %{http_code}'

  const shown = await Promise.all([
    run(process.execPath, ['one.mjs'], inFolder),
    run('python3', ['one.py'], inFolder),
    ...[byFile, byPin].map((line) =>
      run('sh', ['-c', line.replace('curl', `curl ${silent}`)], inFolder),
    ),
  ])
  const otherPin = byPin.replace(pin, `sha256//${'A'.repeat(43)}=`)

  assert.deepEqual(
    shown.map(({ stdout }) => stdout.trim()),
    ['200', '200', '200', '200'],
  )
  await assert.rejects(run('sh', ['-c', otherPin.replace('curl', 'curl -sS')], inFolder), /pinned/)
})
