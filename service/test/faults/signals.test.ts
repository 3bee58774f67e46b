import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Storage } from '../../src/storage/storage.ts'
import { needCommand } from '../_debian.ts'
import { until } from './_raw.ts'
import { makeDataFolder, TOKEN } from './_site.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/plumbline.js', import.meta.url))
const LAUNCHER = new URL('../../bin/pinned-node.js', import.meta.url).href

/** A response of some 20 MB, more than sockets hold. */
const RECORDS = 300_000
const ANSWER = `/api/v1/stations/theme/data?stations=1&startTime=2026-01-01%2000:00:00&endTime=2026-12-31%2000:00:00&token=${TOKEN}`

async function fillStation(storage: Storage): Promise<void> {
  const start = Date.UTC(2026, 0, 1)
  const times = Array.from({ length: RECORDS }, (_, at) => start + at * 1000)
  const records = times.map(
    (time) => `{"v":1.5,"time":"${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}"}`,
  )
  await storage.records.write({ theme: { sources: times.map(() => 1), times, records } })
}

/** Starts a command line as a process group of its own, as a shell or systemd does. */
async function startGroup(folder: string, command: readonly string[], cwd?: string) {
  const [program, ...args] = command
  const child = spawn(program!, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PLUMBLINE_HTTP_HOST: '127.0.0.1', PLUMBLINE_OPS_PORT: '0' },
  })
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output.text += text))
  const closed = once(child, 'close')
  const kill = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-child.pid!, signal)
    } catch {
      // It is gone already.
    }
  }
  const origin = (): string | undefined => /listening on (https:\S+)/.exec(output.text)?.[1]
  if (!(await until(async () => origin() !== undefined, 60))) {
    kill('SIGKILL')
    throw new Error(`the service did not start: ${output.text}`)
  }
  const ca = await readFile(join(folder, 'tls', 'certificate.pem'), 'utf8')
  return {
    child,
    closed,
    kill,
    output,
    /** Requests the long response and reads only its headers. */
    async getLongResponse(): Promise<IncomingMessage> {
      const request = get(`${origin()}${ANSWER}`, { ca, agent: false })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return response
    },
    async [Symbol.asyncDispose]() {
      kill('SIGKILL')
      await closed
    },
  }
}

const readWhole = async (response: IncomingMessage): Promise<string> =>
  Buffer.concat(await Array.fromAsync(response)).toString()

const launcherOf = (folder: string): string[] => [
  process.execPath,
  '--input-type=module',
  '-e',
  `const { runPinned } = await import(${JSON.stringify(LAUNCHER)})
  runPinned(${JSON.stringify(PROGRAM)}, process.argv.slice(1))`,
  'serve',
  '--data',
  folder,
  '--port',
  '0',
]

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} to launcher and service at once lets a response under way finish`, async () => {
    await using data = await makeDataFolder(fillStation)
    await using group = await startGroup(data.folder, launcherOf(data.folder))
    const response = await group.getLongResponse()

    group.kill(signal)
    await sleep(300)
    group.kill(signal)
    const text = await readWhole(response)
    const [code, endedBy] = await group.closed

    assert.equal(JSON.parse(text).stations[0].data.length, RECORDS)
    assert.deepEqual([code, endedBy], [0, null], group.output.text)
  })

test('a launcher that is killed takes the service along, which lets a response under way finish', async () => {
  await using data = await makeDataFolder(fillStation)
  await using group = await startGroup(data.folder, launcherOf(data.folder))
  const response = await group.getLongResponse()
  let hasEnded = false
  void group.closed.then(() => (hasEnded = true))

  group.child.kill('SIGKILL')
  const text = await readWhole(response)

  assert.equal(JSON.parse(text).stations[0].data.length, RECORDS)
  assert.ok(await until(async () => hasEnded, 15), 'the service runs on without its launcher')
  assert.ok(!existsSync(join(data.folder, 'plumbline.db-wal')), 'the database is still open')
})

test('a service outlives whoever has started its launcher, under nohup too', async () => {
  await using data = await makeDataFolder(fillStation)
  const inBackground = ['sh', '-c', 'nohup "$@" &', 'sh', ...launcherOf(data.folder)]
  await using group = await startGroup(data.folder, inBackground)
  assert.equal(group.child.exitCode, 0, 'the shell has not ended')

  const text = await readWhole(await group.getLongResponse())
  group.kill('SIGTERM')
  await group.closed

  assert.equal(JSON.parse(text).stations[0].data.length, RECORDS)
})

test('Ctrl-C under npm start lets a response under way finish', async () => {
  await needCommand('npm', 'npm')
  await using data = await makeDataFolder(fillStation)
  const project = await mkdtemp(join(tmpdir(), 'plumbline-npm-'))
  const launch = join(project, 'launch.mjs')
  await writeFile(
    launch,
    `import { runPinned } from ${JSON.stringify(LAUNCHER)}
    runPinned(${JSON.stringify(PROGRAM)}, process.argv.slice(2))`,
  )
  const start = `${process.execPath} ${launch} serve --data ${data.folder} --port 0`
  await writeFile(join(project, 'package.json'), JSON.stringify({ scripts: { start } }))
  try {
    await using group = await startGroup(data.folder, ['npm', 'start', '--offline'], project)
    const response = await group.getLongResponse()

    group.kill('SIGINT')
    const text = await readWhole(response)
    await group.closed

    assert.equal(JSON.parse(text).stations[0].data.length, RECORDS)
  } finally {
    await rm(project, { recursive: true, force: true })
  }
})

test('a second signal after two seconds ends the service at once', async () => {
  await using data = await makeDataFolder(fillStation)
  const command = [process.execPath, PROGRAM, 'serve', '--data', data.folder, '--port', '0']
  await using group = await startGroup(data.folder, command)
  const response = await group.getLongResponse()
  response.on('error', () => undefined)

  group.kill('SIGINT')
  await sleep(2_200)
  const wasRunning = group.child.exitCode === null
  group.kill('SIGINT')
  const [code] = await group.closed

  assert.ok(wasRunning)
  assert.equal(code, 130)
})
