import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { eventually } from '../_eventually.ts'
import { withService } from '../_service.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 22, 12)

/** An installation with a certificate of its own, made on a day, and a trusted clock. */
async function installation(t: TestContext, madeAt = NOW) {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-certificate-clock-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const { certificate } = await ensureCertificate(folder, undefined, madeAt)
  {
    await using storage = await openSqlite(folder)
    await storage.clock.write(confirmedAt(NOW), 0)
  }
  const clock = { now: NOW, running: 0 }
  return {
    folder,
    clock,
    readCertificate: () => readFile(certificate, 'utf8'),
    names: async () => (await readdir(join(folder, 'tls'))).toSorted(),
    serve: (clockMilliseconds = 20) =>
      withService({
        folder,
        now: () => clock.now,
        monotonic: () => clock.running,
        clockMilliseconds,
        certificateCheckMilliseconds: 20,
        settings: { 'http.certificate': '', 'http.key': '' },
      }),
  }
}

for (const [name, instant] of [
  ['in 1970', 10_000],
  ['twenty days behind', NOW - 20 * DAY],
  ['five years ahead', NOW + 1826 * DAY],
  ['so far ahead that the end is near', NOW + 700 * DAY],
] as const) {
  test(`a boot with a clock ${name} leaves the certificate as it is`, async (t) => {
    const place = await installation(t)
    const before = await place.readCertificate()
    place.clock.now = instant

    {
      await using _ = await place.serve()
      await sleep(200)
    }

    assert.equal(await place.readCertificate(), before)
    assert.deepEqual(await place.names(), ['certificate.pem', 'key.pem'])
  })

  test(`a clock that is set ${name} while the service runs leaves it as it is`, async (t) => {
    const place = await installation(t)
    const before = await place.readCertificate()
    // The course is looked at once in a while only; the clock is set in between.
    await using _ = await place.serve(60_000)
    await sleep(100)
    place.clock.now = instant
    await sleep(200)

    assert.equal(await place.readCertificate(), before)
    assert.deepEqual(await place.names(), ['certificate.pem', 'key.pem'])
  })
}

test('an expired certificate is renewed when the clock is confirmed, and the log has the reason until then', async (t) => {
  const place = await installation(t, NOW - 640 * DAY)
  const before = await place.readCertificate()
  place.clock.now = NOW + 100 * DAY
  await using service = await place.serve()
  await sleep(200)
  assert.equal(await place.readCertificate(), before)
  const said = service.logged.filter((line) => line.includes(' ended on '))
  assert.equal(said.length, 1)
  assert.match(said[0]!, /"level":50.*plumbline retention --confirm-clock/)

  for (let hour = 0; hour < 30; hour++) {
    place.clock.now += 3_600_000
    place.clock.running += 3_600_000
    await sleep(30)
  }

  await eventually(async () => assert.notEqual(await place.readCertificate(), before))
})

test('a new installation makes its first certificate with any clock, valid from days before', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-certificate-clock-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const settings = { 'http.certificate': '', 'http.key': '' }

  await using service = await withService({ folder, settings, now: () => NOW })

  const made = new X509Certificate(await readFile(service.service.certificateFile))
  assert.equal((NOW - made.validFromDate.getTime()) / DAY, 7)
})
