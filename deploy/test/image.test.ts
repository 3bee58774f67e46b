import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { buildHere, ROOT, VERSION } from './_build.ts'
import { buildImage, readSteps } from './_dockerfile.ts'
import { Machine } from './_machine.ts'
import { mountOverlay } from './_overlay.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-image-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The context, in which folders stand for tarballs. */
const context = join(folder, 'context')
const inContext = join(context, `plumbline-linux-amd64.tar.gz`)
mkdirSync(inContext, { recursive: true })
await buildHere(join(inContext, `plumbline-${VERSION}-linux-${process.arch}`))

const steps = readSteps(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'))

test('the image serves as a user without rights, on a root that cannot be written', async () => {
  using overlay = mountOverlay(folder, '/')
  const { root } = overlay
  const image = await buildImage({ steps, context, root, args: { TARGETARCH: 'amd64' } })
  await using machine = await Machine.start({ root, isReadOnly: true, writable: image.volumes })
  const within = { user: image.user, env: image.env, cwd: image.folder }

  const written = await machine.run(['sh', '-c', 'echo no > /opt/plumbline/no'])
  const before = await machine.run(image.healthCheck, within)
  const command = [...image.entrypoint, ...image.command]
  const service = await machine.begin(command, /^listening on /m, within)
  const certificate = join(root, 'data/tls/certificate.pem')
  const page = await machine.curl('--cacert', certificate, 'https://localhost:8443/console/')
  const health = await machine.run(image.healthCheck, within)
  const owner = lstatSync(join(root, 'data/plumbline.db')).uid
  const code = await service.stop()

  assert.match(image.base, /^debian:\d+\.\d+-slim$/)
  assert.deepEqual([image.volumes, image.ports], [['/data'], ['8443']])
  assert.notEqual(written.code, 0)
  assert.match(written.stderr, /Read-only file system/)
  assert.notEqual(before.code, 0)
  assert.match(page, /<title>Plumbline/)
  assert.deepEqual([health.code, health.stdout], [0, 'The service is ready.\n'])
  assert.equal(String(owner), image.user)
  assert.notEqual(image.user, '0')
  assert.equal(code, 0)
})
