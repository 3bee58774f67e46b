import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { eventually } from '../_eventually.ts'
import { freePort, withService } from '../_service.ts'
import { workplace } from '../cli/_cli.ts'

const DAY = 86_400_000

/** A certificate of the settings with a number of days left. */
async function operatorsCertificate(t: TestContext, daysLeft: number) {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-operator-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const files = await ensureCertificate(folder, undefined, Date.now() - (730 - daysLeft) * DAY)
  return {
    ...files,
    folder,
    settings: { 'http.certificate': files.certificate, 'http.key': files.key },
  }
}

/** When a certificate ends, in seconds. */
const endOf = async (file: string): Promise<number> =>
  new X509Certificate(await readFile(file)).validToDate.getTime() / 1000

/** Serves while the days go by; how often each level spoke of the end. */
async function spokenOf(settings: Record<string, string>, days: number) {
  let now = Date.now()
  await using service = await withService({
    settings,
    now: () => now,
    monotonic: () => now,
    certificateCheckMilliseconds: 10,
  })
  await sleep(100)
  for (let day = 1; day < days; day++) {
    now += DAY
    await sleep(100)
  }
  const said = service.logged.filter((line) => /The certificate .* (ends|ended) on/.test(line))
  return { levels: said.map((line) => (JSON.parse(line) as { level: number }).level), said }
}

test('a certificate that ends soon is a warning once a day, and an error once it has expired', async (t) => {
  const { settings, certificate } = await operatorsCertificate(t, 2.5)

  const { levels, said } = await spokenOf(settings, 5)

  assert.deepEqual(levels, [40, 40, 40, 50, 50])
  assert.ok(said[0]!.includes(certificate))
  assert.match(said[0]!, /ends on \d{4}-\d\d-\d\d, in 3 days\. Replace the certificate/)
  assert.match(said[3]!, /ended on \d{4}-\d\d-\d\d: clients refuse it\. Replace the certificate/)
})

test('a certificate that is valid for more than a month is not logged', async (t) => {
  const { settings } = await operatorsCertificate(t, 31)

  assert.deepEqual((await spokenOf(settings, 1)).levels, [])
})

test('the metric has the end of the certificate in use, also after it was replaced', async (t) => {
  const { settings, ...files } = await operatorsCertificate(t, 10)
  const newer = await operatorsCertificate(t, 300)
  const port = await freePort()
  await using service = await withService({
    settings: { ...settings, 'ops.port': port },
    certificateCheckMilliseconds: 20,
  })
  const told = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^plumbline_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text)?.[1])
  }
  const before = await endOf(files.certificate)
  assert.equal(await told(), before)

  await writeFile(files.key, await readFile(newer.key))
  await writeFile(files.certificate, await readFile(newer.certificate))
  await eventually(async () => assert.equal(await told(), await endOf(newer.certificate)))

  await writeFile(files.certificate, 'garbage')
  await eventually(async () =>
    assert.ok(service.logged.some((line) => line.includes('was not replaced'))),
  )
  await sleep(200)
  assert.equal(await told(), await endOf(newer.certificate))
  const stays = service.logged.filter((line) => line.includes('is not a PEM certificate'))
  assert.equal(stays.length, 1)
})

test('an unusable certificate or key ends the start with one error', async (t) => {
  const { certificate, key, folder } = await operatorsCertificate(t, 300)
  const other = await operatorsCertificate(t, 300)
  const garbage = join(folder, 'garbage.pem')
  await writeFile(garbage, 'garbage')
  await using place = await workplace()

  for (const [files, sentence] of [
    [[garbage, key], `http.certificate: the file ${garbage} is not a PEM certificate.`],
    [
      [certificate, garbage],
      `http.key: the file ${garbage} is not a PEM private key without a passphrase.`,
    ],
    [
      [certificate, other.key],
      `http.key: the file ${other.key} is not the key of http.certificate: the file ${certificate}.`,
    ],
    [['/nowhere.pem', key], 'http.certificate: the file /nowhere.pem cannot be read: ENOENT.'],
  ] as const) {
    const { code, stderr } = await place.runProcess(
      ['serve', '--host', '127.0.0.1', '--port', '0'],
      {
        PLUMBLINE_OPS_PORT: '0',
        PLUMBLINE_HTTP_CERTIFICATE: files[0],
        PLUMBLINE_HTTP_KEY: files[1],
      },
    )
    assert.equal(code, 1, stderr)
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    assert.deepEqual(said, [sentence])
  }
})
