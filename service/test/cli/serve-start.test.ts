import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../_service.ts'
import { workplace, type Result, type Workplace } from './_cli.ts'

const BROKER =
  'ingest:\n  broker:\n    host: 127.0.0.1\n    tls: off\n    topics: [{ topic: "site/{sensor}/telemetry", preset: tsValues }]\n'
const HANG_GUARD_MILLISECONDS = 60_000

/** A workplace whose settings file has a broker. */
async function withBroker(): Promise<Workplace> {
  const place = await workplace()
  await mkdir(join(place.folder, 'data'))
  await writeFile(join(place.folder, 'data', 'plumbline.yaml'), BROKER)
  return place
}

async function takenPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: String((server.address() as AddressInfo).port),
    [Symbol.dispose]: () => void server.close(),
  }
}

/** Serves until it ends by itself; one that hangs is killed and has no code. */
async function serveToEnd(place: Workplace, environment: Record<string, string>): Promise<Result> {
  const args = ['serve', '--host', '127.0.0.1']
  const ports = {
    PLUMBLINE_HTTP_PORT: '0',
    PLUMBLINE_OPS_PORT: '0',
    PLUMBLINE_INGEST_BROKER_PORT: String(await freePort()),
  }
  const running = place.begin(args, { ...ports, ...environment })
  const guard = setTimeout(running.kill, HANG_GUARD_MILLISECONDS)
  const result = await running.ended
  clearTimeout(guard)
  return result
}

for (const [setting, choose] of [
  ['PLUMBLINE_HTTP_PORT', '--port, http.port or PLUMBLINE_HTTP_PORT'],
  ['PLUMBLINE_OPS_PORT', 'ops.port or PLUMBLINE_OPS_PORT'],
  ['PLUMBLINE_INGEST_BROKER_PORT', 'ingest.broker.port or PLUMBLINE_INGEST_BROKER_PORT'],
] as const)
  test(`the start ends with one error that names ${setting} when its port is in use`, async () => {
    await using place = await withBroker()
    using taken = await takenPort()

    const { code, stderr } = await serveToEnd(place, { [setting]: taken.port })

    assert.equal(code, 1, stderr)
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    assert.equal(said.length, 1, stderr)
    assert.match(said[0]!, /EADDRINUSE/)
    assert.ok(said[0]!.includes(`127.0.0.1:${taken.port}`), stderr)
    assert.ok(said[0]!.endsWith(`Choose another port with ${choose}.`), stderr)
  })

test('an address that the machine does not have is refused with its setting', async () => {
  await using place = await withBroker()

  const { code, stderr } = await serveToEnd(place, {
    PLUMBLINE_INGEST_BROKER_HOST: '192.0.2.1',
    PLUMBLINE_INGEST_BROKER_TLS: 'on',
  })

  assert.equal(code, 1, stderr)
  assert.match(
    stderr,
    /Choose another with ingest\.broker\.host or PLUMBLINE_INGEST_BROKER_HOST\.$/m,
  )
})

test('a failed start ends although brokers and mail servers never answer', async () => {
  await using place = await workplace()
  using taken = await takenPort()
  // It accepts connections and sends nothing.
  using silent = await takenPort()
  const url = `mqtt://127.0.0.1:${silent.port}`
  await mkdir(join(place.folder, 'data'))
  await writeFile(
    join(place.folder, 'data', 'plumbline.yaml'),
    `ingest:
  mqtt: [{ name: site, url: '${url}', subscriptions: [{ topic: 'a/{sensor}', preset: tsValues }] }]
notifications:
  mqtt: [{ name: scada, url: '${url}', topic: alarms }]
  rules: [{ name: all, to: [scada] }]
`,
  )

  const { code, stderr } = await serveToEnd(place, {
    PLUMBLINE_INGEST_BROKER_PORT: '0',
    PLUMBLINE_HTTP_PORT: taken.port,
  })

  assert.equal(code, 1, stderr)
  assert.match(stderr, /EADDRINUSE.*Choose another port with --port, http\.port/)
})

for (const delay of [300, 700, 1_500])
  test(`SIGTERM ${delay} ms after the launch ends the service, before or after its start`, async () => {
    await using place = await withBroker()
    const running = place.begin(['serve', '--host', '127.0.0.1', '--port', '0'], {
      PLUMBLINE_OPS_PORT: '0',
      PLUMBLINE_INGEST_BROKER_PORT: String(await freePort()),
    })
    let hung = false
    const guard = setTimeout(() => {
      hung = true
      running.kill()
    }, HANG_GUARD_MILLISECONDS)

    await new Promise((resume) => setTimeout(resume, delay))
    process.kill(running.pid, 'SIGTERM')
    const { code, stderr } = await running.ended
    clearTimeout(guard)

    assert.ok(!hung, stderr)
    // Without a code: the signal came before the program could listen to it.
    assert.ok(code === 0 || code === null, stderr)
  })
