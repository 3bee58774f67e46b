import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connect } from 'node:tls'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { eventually } from '../_eventually.ts'
import { withService } from '../_service.ts'
import { workplace, type Workplace } from './_cli.ts'

const DAY = 86_400_000

const dataOf = ({ folder }: Workplace): string => join(folder, 'data')
const certificateOf = (place: Workplace): string => join(dataOf(place), 'tls', 'certificate.pem')

async function withCertificate(settings = ''): Promise<Workplace> {
  const place = await workplace()
  await ensureCertificate(dataOf(place), undefined, Date.now() - 10 * DAY)
  await writeFile(join(dataOf(place), 'plumbline.yaml'), settings)
  return place
}

const NAMED = 'http: { certificateNames: [shm.example, 192.0.2.7] }\n'

/** The fingerprint of the certificate that new connections get. */
async function served(origin: string): Promise<string> {
  const socket = connect({ port: Number(new URL(origin).port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerX509Certificate()!
  socket.destroy()
  return fingerprint256
}

describe('certificate show', () => {
  test('shows fingerprint, names and days left', async () => {
    await using place = await withCertificate()

    const shown = await place.run(['certificate', 'show'])
    const [listed] = await place.json('certificate', 'show')

    const { fingerprint256 } = new X509Certificate(await readFile(certificateOf(place)))
    assert.equal(shown.code, 0, shown.stderr)
    assert.match(shown.stdout, /^origin: +made by the service$/m)
    assert.match(shown.stdout, /^names: +localhost, 127\.0\.0\.1, ::1/m)
    assert.match(shown.stdout, /^valid: +\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, 719 days left$/m)
    assert.ok(shown.stdout.includes(fingerprint256))
    assert.equal(listed.fingerprint, fingerprint256)
    assert.deepEqual([listed.isOwn, listed.daysLeft], [true, 719])
    assert.match(listed.pin, /^sha256\/\/[A-Za-z0-9+/]{43}=$/)
  })

  test('shows the next certificate where it lies beside the one in use', async () => {
    await using place = await withCertificate()
    const next = join(dataOf(place), 'tls', 'certificate-next.pem')
    await writeFile(next, await readFile(certificateOf(place)))

    const listed = await place.json('certificate', 'show')

    assert.deepEqual(
      listed.map(({ file }: { file: string }) => file.split('/').at(-1)),
      ['certificate.pem', 'certificate-next.pem'],
    )
  })

  test('of a folder without one, or with a damaged one, is an error that names the file', async () => {
    await using empty = await workplace()
    await using damaged = await withCertificate()
    await writeFile(certificateOf(damaged), 'cut off')

    const none = await empty.run(['certificate', 'show'])
    const broken = await damaged.run(['certificate', 'show'])

    assert.deepEqual(
      [none, broken].map(({ code, stderr }) => [code, stderr]),
      [
        [
          1,
          'There is no certificate data/tls/certificate.pem: the first start of the service makes it.\n',
        ],
        [
          1,
          'The certificate data/tls/certificate.pem cannot be read: it is not a PEM certificate.\n',
        ],
      ],
    )
  })
})

describe('certificate renew', () => {
  test('makes a certificate with the names of the settings and the same key', async () => {
    await using place = await withCertificate(NAMED)
    const [before] = await place.json('certificate', 'show')

    const renewed = await place.run(['certificate', 'renew'])
    const [after] = await place.json('certificate', 'show')

    assert.equal(renewed.code, 0, renewed.stderr)
    assert.ok(renewed.stdout.includes(after.fingerprint))
    assert.notEqual(after.fingerprint, before.fingerprint)
    assert.equal(after.pin, before.pin)
    assert.deepEqual(after.names, [...before.names, 'shm.example', '192.0.2.7'])
    assert.equal(after.daysLeft, 729)
    const certificate = new X509Certificate(await readFile(certificateOf(place)))
    assert.equal(certificate.checkHost('shm.example'), 'shm.example')
    assert.equal(certificate.checkIP('192.0.2.7'), '192.0.2.7')
    assert.equal((await stat(certificateOf(place))).mode & 0o777, 0o600)
  })

  test('is taken by a running service, which had warned of the missing name', async () => {
    await using place = await withCertificate(NAMED)
    await using service = await withService({
      folder: dataOf(place),
      settings: {
        'http.certificate': '',
        'http.key': '',
        'http.certificateNames': ['shm.example'],
        'http.publicUrl': 'https://public.example:8443/shm',
      },
      certificateCheckMilliseconds: 20,
    })
    const before = await served(service.service.origin)

    await place.run(['certificate', 'renew'])

    await eventually(async () => assert.notEqual(await served(service.service.origin), before))
    const warned = service.logged.filter((line) => line.includes('does not name'))
    assert.equal(warned.length, 1)
    assert.match(warned[0]!, /"level":40.* does not name shm\.example, public\.example\. Run/)
  })

  test('leaves a certificate of the operator alone', async () => {
    await using place = await withCertificate()
    const own = await ensureCertificate(join(place.folder, 'own'), undefined, Date.now())
    const paths = { certificate: own.certificate, key: own.key }
    await writeFile(join(dataOf(place), 'plumbline.yaml'), JSON.stringify({ http: paths }))
    const before = await readFile(own.certificate, 'utf8')

    const { code, stderr } = await place.run(['certificate', 'renew'])

    assert.equal(code, 1)
    assert.match(stderr, /is not one that Plumbline made: replace it and its key\./)
    assert.equal(await readFile(own.certificate, 'utf8'), before)
  })

  test('a name that is none is refused with the setting', async () => {
    await using place = await withCertificate(
      'http: { certificateNames: ["https://shm.example"] }\n',
    )

    const { code, stderr } = await place.run(['certificate', 'renew'])

    assert.equal(code, 1)
    assert.match(stderr, /http\.certificateNames must be a list of host names such as shm\.example/)
  })
})
