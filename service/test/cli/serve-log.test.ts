import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SETTINGS } from '../../src/config/settings.ts'
import { startChild } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { callHttps } from '../_service.ts'
import { workplace } from './_cli.ts'

async function makeFolder(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-log-'))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Lets the service take its standard error for the journal. */
const TO_JOURNAL = 'export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)'

const linesOf = (text: string): { msg: string; signal?: string; level: number }[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('the log of serve', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`says that ${signal} stops it, and when it has stopped`, async () => {
      await using place = await workplace()
      const service = await place.serve(['--port', '0'])

      await service.stop(signal)

      const last = linesOf(service.output.stderr).slice(-2)
      assert.deepEqual(
        last.map(({ msg, signal: by, level }) => [msg, by, level]),
        [
          ['Plumbline stops.', signal, 30],
          ['Plumbline stopped.', undefined, 30],
        ],
      )
    })

  test('says that SIGHUP is ignored, and the service goes on', async () => {
    await using place = await workplace()
    const service = await place.serve(['--port', '0'])

    process.kill(service.pid, 'SIGHUP')
    await eventually(() => assert.match(service.output.stderr, /SIGHUP is ignored/))
    const response = await service.call('/openapi.json')
    const ended = await service.stop()

    assert.equal(response.status, 200)
    assert.deepEqual(ended, [0, null])
  })

  test('gives each line its priority where standard error is the journal of systemd', async () => {
    await using place = await makeFolder()
    await using child = await startChild(
      join(place.folder, 'data'),
      { PLUMBLINE_STORAGE_WARN_FREE_MEGABYTES: '100000000' },
      { before: TO_JOURNAL },
    )
    await eventually(() => assert.match(child.logged, /free/))
    await child.stop()

    const lines = child.logged.trimEnd().split('\n')
    for (const line of lines) assert.match(line, /^<[4567]>\{"level":(40|30|20|10),/)
    assert.ok(lines.some((line) => line.startsWith('<4>{"level":40,')))
    assert.ok(lines.some((line) => /^<6>\{"level":30,.*Plumbline starts\./.test(line)))
  })

  test('gives no priority where standard error is a file, though a parent has the journal', async () => {
    await using place = await makeFolder()

    await using child = await startChild(join(place.folder, 'data'), { JOURNAL_STREAM: '1:2' })
    await child.stop()

    for (const line of child.logged.trimEnd().split('\n')) assert.match(line, /^\{"level":/)
  })

  test('a start that fails is an error of the journal', async () => {
    await using place = await makeFolder()
    const environment = { PLUMBLINE_LOG_LEVEL: 'loud' }

    const starting = startChild(join(place.folder, 'data'), environment, { before: TO_JOURNAL })

    await assert.rejects(starting, /^Error: the service did not start: <3>.*PLUMBLINE_LOG_LEVEL/)
  })
})

describe('the addresses of serve', () => {
  test('are by default all of IPv6 and of IPv4, and the log names them', async () => {
    await using place = await workplace()

    const service = await place.serve(['--host', SETTINGS['http.host'].default, '--port', '0'])
    const { port } = new URL(service.origin)
    const ca = await readFile(join(place.folder, 'data/tls/certificate.pem'), 'utf8')
    const responses = await Promise.all(
      ['127.0.0.1', '[::1]'].map((host) =>
        callHttps(`https://${host}:${port}/openapi.json`, ca, {}),
      ),
    )
    await service.stop()

    const listens = linesOf(service.output.stderr).find(({ msg }) => msg === 'Plumbline listens.')
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200],
    )
    assert.deepEqual(listens, { ...listens, interface: `https://[::]:${port}` })
  })
})
