import assert from 'node:assert/strict'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_service.ts'
import { workplace, type Workplace } from './_cli.ts'

/** A workplace whose settings file has a port for health. */
async function withOpsPort(port: number): Promise<Workplace> {
  const place = await workplace()
  await mkdir(join(place.folder, 'data'))
  const settings = `http: { port: 0 }\nops: { port: ${port} }\n`
  await writeFile(join(place.folder, 'data', 'plumbline.yaml'), settings, { mode: 0o600 })
  return place
}

test('health says whether the service is ready, and why it is not', async () => {
  const port = await freePort()
  await using place = await withOpsPort(port)
  const absent = await place.run(['health'])
  await place.serve([], { PLUMBLINE_OPS_PORT: String(port) })

  const ready = await place.run(['health'])
  const asJson = await place.json('health')
  await rename(join(place.folder, 'data/plumbline.db'), join(place.folder, 'data/elsewhere.db'))
  await eventually(async () => assert.equal((await place.run(['health'])).code, 1))
  const lost = await place.run(['health'])
  const live = await place.run(['health', '--live'])

  assert.deepEqual([absent.code, ready.code, live.code], [1, 0, 0])
  assert.match(absent.stderr, /^No service answers at http:\/\/127\.0\.0\.1:\d+\/health\/ready: /m)
  assert.equal(ready.stdout, 'The service is ready.\n')
  assert.deepEqual(asJson, { status: 'ready' })
  assert.match(lost.stderr, /^The service is not ready: .*plumbline\.db/m)
  assert.equal(live.stdout, 'The service is alive.\n')
})

test('health names the setting where the port is turned off', async () => {
  await using place = await withOpsPort(0)

  const { code, stderr } = await place.run(['health'])

  assert.equal(code, 3)
  assert.match(stderr, /set ops\.port to another number than 0/)
})

test('health exits with 3 and says what to do where it cannot read the settings', async () => {
  await using place = await workplace()

  const { code, stderr } = await place.run(['health', '--config', 'nothere.yaml'])

  assert.equal(code, 3)
  assert.match(
    stderr,
    /nothere\.yaml cannot be read: ENOENT\. Nothing is known of the service\..* curl /,
  )
})
