import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROGRAM } from '../_program.ts'
import { callHttps, freePort } from '../_service.ts'
import { until } from './_raw.ts'
import { compileShim } from './_shim.ts'
import { makeDataFolder, TOKEN } from './_site.ts'

/** A service whose output goes to files of a disk that is full while `flag` exists. */
async function startLogging(folder: string, t: TestContext, isFullAtStart: boolean) {
  const disk = await mkdtemp(join(tmpdir(), 'plumbline-log-'))
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-shim-'))
  const flag = join(scratch, 'full')
  if (isFullAtStart) await writeFile(flag, '')
  const [port, opsPort] = [await freePort(), await freePort()]
  await using stdout = await open(join(disk, 'out'), 'w')
  await using stderr = await open(join(disk, 'log'), 'w')
  const child = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--data', folder, '--host', '127.0.0.1', '--port', String(port)],
    {
      stdio: ['ignore', stdout.fd, stderr.fd],
      env: {
        ...process.env,
        PLUMBLINE_OPS_PORT: String(opsPort),
        PLUMBLINE_LOG_LEVEL: 'debug',
        LD_PRELOAD: await compileShim('disk-full', scratch),
        FULL_FOLDER: disk,
        FULL_FLAG: flag,
      },
    },
  )
  t.after(async () => {
    const ended = once(child, 'close')
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await ended
    }
    for (const place of [disk, scratch]) await rm(place, { recursive: true, force: true })
  })
  const certificate = await readFile(join(folder, 'tls', 'certificate.pem'), 'utf8')
  const getOps = (path: string): Promise<string> =>
    fetch(`http://127.0.0.1:${opsPort}${path}`).then((response) => response.text())
  const call = async (): Promise<number> => {
    const url = `https://localhost:${port}/api/v1/structures?token=${TOKEN}`
    return (await callHttps(url, certificate, {})).status
  }
  assert.ok(
    await until(
      () =>
        call().then(
          (status) => status === 200,
          () => false,
        ),
      30,
    ),
  )
  const readLog = (): Promise<string> => readFile(join(disk, 'log'), 'utf8')
  return { child, flag, getOps, call, readLog }
}

test('a full log disk does not stop the service, and lost lines are counted and logged when there is space', async (t) => {
  await using data = await makeDataFolder()
  const { child, flag, getOps, call, readLog } = await startLogging(data.folder, t, false)
  // The log line of a response may come a moment after it.
  await sleep(300)
  const before = await readLog()

  await writeFile(flag, '')
  const statuses = new Set<number>()
  for (let count = 0; count < 50; count++) statuses.add(await call())
  const full = await readLog()
  let lost = 0
  const countLost = async (): Promise<boolean> => {
    const metrics = await getOps('/metrics')
    lost = Number(/^plumbline_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])
    return lost >= 50
  }
  assert.ok(await until(countLost, 10), `${lost} lines were lost`)
  await rm(flag)
  await call()
  await call()

  assert.deepEqual([...statuses], [200])
  assert.ok(before.includes('"request completed"'), before)
  assert.equal(full, before)
  const lines = (await readLog()).slice(before.length).trimEnd().split('\n')
  const report = JSON.parse(lines[0]!) as { level: number; msg: string; lost: number }
  assert.ok(report.lost >= lost)
  assert.equal(
    report.msg,
    `${report.lost} log lines were lost because the log could not be written`,
  )
  assert.equal(report.level, 40)
  for (const line of lines) JSON.parse(line)
  assert.equal(child.exitCode, null)
})

test('a service starts, responds and stops with output that cannot be written from the start', async (t) => {
  await using data = await makeDataFolder()
  const { child, call, readLog } = await startLogging(data.folder, t, true)

  const status = await call()
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  const [code] = await ended

  assert.equal(status, 200)
  assert.equal(code, 0)
  assert.equal(await readLog(), '')
})
