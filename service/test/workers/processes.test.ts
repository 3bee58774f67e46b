import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { get, Agent } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { eventually } from '../_eventually.ts'
import { callHttps } from '../_service.ts'
import { workplace } from '../cli/_cli.ts'
import { connectRaw } from '../faults/_raw.ts'
import { makeDataFolder } from '../faults/_site.ts'
import { makeYear, YEAR, YEAR_PATH } from '../faults/_stalled.ts'
import { linesOf, openClients, pidOf, readState, startWorkers, STRUCTURES } from './_workers.ts'

/** Whether a process runs. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const requestsOf = (metrics: string): number =>
  Array.from(metrics.matchAll(/^plumbline_http_requests_total\{.*\} (\d+)$/gm)).reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )

describe('a worker that is killed', () => {
  test('is started again; the others go on, and counts do not decrease', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2)
    const clients = await openClients(t, child, [1, 2])
    for (let at = 0; at < 10; at++) for (const { call } of clients) await call(STRUCTURES)
    const before = requestsOf((await child.getOps('/metrics')).text)
    assert.equal(before, 22)
    const pid = await pidOf(child, 2)

    process.kill(pid, 'SIGKILL')

    await eventually(() =>
      assert.ok(
        linesOf(child).some(
          ({ msg, worker }) =>
            msg === 'Worker 2 has ended by SIGKILL. It is started again in 1 s.' && worker === 2,
        ),
      ),
    )
    for (let at = 0; at < 4; at++) {
      const { status } = await callHttps(`${child.origin}${STRUCTURES}`, child.certificate, {})
      assert.equal(status, 200)
    }
    assert.equal((await clients[0]!.call(STRUCTURES)).status, 200)
    const state = await eventually(async () => {
      const now = await readState(child)
      assert.equal(now.answering, 2)
      return now
    })
    assert.equal(state.restarts, 1)
    assert.notEqual(state.workers[1]!.pid, pid)
    const { text } = await child.getOps('/metrics')
    assert.equal(requestsOf(text), before + 5)
    assert.match(text, /^plumbline_worker_restarts_total 1$/m)
    assert.match(text, /^plumbline_workers\{state="answering"\} 2$/m)
    assert.match(text, /^plumbline_worker_resident_memory_bytes\{worker="2"\} \d+$/m)
    // It has the fewest connections.
    await openClients(t, child, [2])
  })
})

test('a worker that hangs gets no further connections after a second, and goes on afterwards', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startWorkers(data.folder, 2)
  const pid = await pidOf(child, 2)
  const ask = async (): Promise<number> => {
    const { status } = await callHttps(`${child.origin}${STRUCTURES}`, child.certificate, {})
    return status
  }

  process.kill(pid, 'SIGSTOP')
  t.after(() => isRunning(pid) && process.kill(pid, 'SIGCONT'))
  // Every other one is for the worker, which gets the first of them.
  const answered: number[] = []
  const asked = Array.from({ length: 8 }, () => ask().then((status) => answered.push(status)))
  await eventually(() => assert.equal(answered.length, 7))
  for (let at = 0; at < 6; at++) assert.equal(await ask(), 200)
  const { answering, workers } = await readState(child)
  assert.equal(answering, 1)
  assert.deepEqual(
    workers.map(({ answers }) => answers),
    [true, false],
  )
  process.kill(pid, 'SIGCONT')

  await Promise.all(asked)
  assert.deepEqual(answered, Array(8).fill(200))
  await eventually(async () => assert.equal((await readState(child)).answering, 2))
  for (let at = 0; at < 4; at++) {
    const socket = await connectRaw(child)
    t.after(() => socket.destroy())
  }
  const { workers: afterwards } = await readState(child)
  assert.deepEqual(
    afterwards.map(({ connections }) => connections),
    [2, 2],
  )
})

describe('a first process', () => {
  test('that is killed leaves no worker, no socket and a free port', async () => {
    await using data = await makeDataFolder()
    await using child = await startWorkers(data.folder, 3, { TMPDIR: data.folder })
    const { workers } = await readState(child)
    const listChannels = async () =>
      (await readdir(data.folder)).filter((name) => name.startsWith('plumbline-'))
    assert.equal((await listChannels()).length, 1)

    await child.kill()

    await eventually(() => assert.ok(workers.every(({ pid }) => !isRunning(pid))))
    assert.deepEqual(await listChannels(), [])
    const server = createServer().listen(Number(new URL(child.origin).port), '127.0.0.1')
    await once(server, 'listening')
    server.close()
  })

  test('that is told to stop lets the responses of all workers finish', async (t) => {
    await using data = await makeYear()
    await using child = await startWorkers(data.folder, 2)
    const { workers } = await readState(child)
    const responses = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const agent = new Agent()
        t.after(() => agent.destroy())
        const sent = get(`${child.origin}${YEAR_PATH}`, { ca: child.certificate, agent })
        const [response] = (await once(sent, 'response')) as [IncomingMessage]
        return response
      }),
    )

    const stopped = child.stop()
    // Signals to a worker itself do not end it early, as those of a terminal reach all processes.
    for (const { pid } of workers.slice(1)) process.kill(pid, 'SIGINT')
    const texts = await Promise.all(
      responses.map(async (response) => Buffer.concat(await Array.fromAsync(response)).toString()),
    )
    await stopped

    for (const text of texts) assert.equal(JSON.parse(text).stations[0].data.length, YEAR)
    assert.ok(workers.every(({ pid }) => !isRunning(pid)))
  })

  test('gives all workers a certificate that was replaced', async () => {
    await using data = await makeDataFolder()
    await using other = await makeDataFolder()
    await using child = await startWorkers(data.folder, 2)
    const served = async (): Promise<string> => {
      const port = Number(new URL(child.origin).port)
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      const { serialNumber } = socket.getPeerX509Certificate()!
      socket.destroy()
      return serialNumber
    }
    const before = await served()

    await ensureCertificate(other.folder, undefined, Date.now())
    await cp(join(other.folder, 'tls'), join(data.folder, 'tls'), { recursive: true })

    await eventually(async () => {
      const serials = new Set([await served(), await served(), await served(), await served()])
      assert.ok(!serials.has(before))
      assert.equal(serials.size, 1)
    })
    // A worker that is started later has the new one, too.
    process.kill(await pidOf(child, 2), 'SIGKILL')
    await eventually(async () => assert.equal((await readState(child)).restarts, 1))
    await eventually(async () => assert.equal((await readState(child)).answering, 2))
    for (let at = 0; at < 4; at++) assert.notEqual(await served(), before)
  })
})

describe('the number of workers', () => {
  test('is refused with a sentence unless it is 1 to 256 or auto', async () => {
    await using place = await workplace()

    for (const workers of ['0', '-1', '1.5', '257', 'two', ''])
      for (const [args, environment, name] of [
        [[`--workers=${workers}`], {}, '--workers'],
        [[], { PLUMBLINE_HTTP_WORKERS: workers }, 'PLUMBLINE_HTTP_WORKERS'],
      ] as const) {
        const command = ['config', 'check', ...args]
        const { code, stderr } = await place.runProcess(command, environment)
        assert.notEqual(code, 0)
        assert.ok(
          stderr.includes(`${name} must be a whole number from 1 to 256, or auto`),
          `${workers}: ${stderr}`,
        )
      }
    assert.ok(!existsSync(join(place.folder, 'data')))
  })

  test('may be auto: as many as there are cores', async () => {
    await using place = await workplace()

    const service = await place.serve(['--port', '0', '--workers', 'auto'], {
      PLUMBLINE_OPS_PORT: '0',
    })

    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const lines = await Promise.all(
      names.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')),
    )
    const children = lines.filter(
      (line) => Number(line.split(') ').at(-1)?.split(' ')[1]) === service.pid,
    )
    assert.equal(children.length, availableParallelism() - 1)
    await service.stop()
  })
})
