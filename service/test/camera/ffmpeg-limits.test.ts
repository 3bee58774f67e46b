import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { FfmpegProgram, NOT_INSTALLED, NOT_THERE } from '../../src/camera/ffmpeg/find-ffmpeg.ts'
import { FfmpegProcess } from '../../src/camera/ffmpeg/ffmpeg-process.ts'
import { LimitedProcess } from '../../src/camera/ffmpeg/limited-process.ts'
import { watchResources } from '../../src/camera/ffmpeg/resource-watch.ts'
import { eventually } from '../_eventually.ts'
import { H264, makeClip, makeFolder } from './_clips.ts'
import {
  fromFile,
  fromPipe,
  isRunning,
  LIMITS,
  readAll,
  silent,
  startFfmpeg,
} from './_started-ffmpeg.ts'

const PARENT = fileURLToPath(new URL('_parent.ts', import.meta.url))

const folder = await makeFolder()
const h264 = await makeClip(join(folder, 'h264.mp4'), H264)
const large = await makeClip(join(folder, 'large.mp4'), H264, { size: '1920x1080', seconds: 8 })

/** An ffmpeg whose source sends nothing. */
const startStalled = () => startFfmpeg({ input: fromPipe('mpegts'), stdin: new PassThrough() })

/** What the system says of a process; the program that starts ffmpeg has become ffmpeg by then. */
const describeProcess = (pid: number | undefined, file: string): Promise<string> =>
  eventually(async () => {
    assert.equal(await readFile(`/proc/${pid}/comm`, 'utf8'), 'ffmpeg\n')
    return readFile(`/proc/${pid}/${file}`, 'utf8')
  })

/** Stops a process as if it hung. */
async function hang(pid: number | undefined): Promise<void> {
  assert.match(await describeProcess(pid, 'stat'), /\) [SR]/)
  process.kill(pid ?? 0, 'SIGSTOP')
  await eventually(async () => assert.match(await describeProcess(pid, 'stat'), /\) T/))
}

describe('an ffmpeg', () => {
  test('cannot write a file', async () => {
    const target = join(folder, 'written.ts')
    const args = ['-v', 'error', '-nostdin', '-i', h264, '-c', 'copy', target]
    await using ffmpeg = new LimitedProcess({
      command: 'ffmpeg',
      args,
      stdin: undefined,
      limits: LIMITS,
      log: silent,
    })

    const { problem } = await ffmpeg.ended

    assert.equal(problem, 'ffmpeg was ended by SIGXFSZ.')
    assert.equal((await stat(target)).size, 0)
  })

  test('sees nothing of the environment of the service', async () => {
    process.env['PLUMBLINE_TEST_SECRET'] = 'a secret'
    await using ffmpeg = startStalled()

    const names = (await describeProcess(ffmpeg.pid, 'environ'))
      .split('\0')
      .map((entry) => entry.replace(/=.*$/, ''))

    assert.deepEqual(names.toSorted(), ['', 'LANG', 'PATH'])
  })

  test('has a low priority and dies first where memory ends', async () => {
    await using ffmpeg = startStalled()

    assert.equal((await describeProcess(ffmpeg.pid, 'oom_score_adj')).trim(), '800')
    const fields = (await describeProcess(ffmpeg.pid, 'stat')).replace(/^.*\) /, '').split(' ')
    assert.equal(fields[16], '5')
    assert.match(await describeProcess(ffmpeg.pid, 'status'), /^NoNewPrivs:\s+1$/m)
  })

  test('connects to nothing that its whitelist leaves out', async () => {
    let connections = 0
    await using server = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:${port}/1.ts\n#EXT-X-ENDLIST\n`
    await writeFile(join(folder, 'hostile.m3u8'), playlist)
    await using ffmpeg = startFfmpeg({ input: fromFile(join(folder, 'hostile.m3u8')) })

    const { ts, problem } = await readAll(ffmpeg)

    assert.equal(problem, 'The camera sends a format that is not allowed.')
    assert.deepEqual({ connections, bytes: ts.length }, { connections: 0, bytes: 0 })
  })

  test('that takes more memory than it may is ended', async () => {
    await using ffmpeg = startFfmpeg({
      input: ['-re', ...fromFile(large)],
      output: { kind: 'transcode', height: undefined },
      limits: { memoryMegabytes: 100 },
    })

    const { problem } = await readAll(ffmpeg)

    assert.equal(problem, 'The video of the camera takes more than 100 MB of memory.')
  })

  test('that asks for twice the memory at once does not get it', async () => {
    await using ffmpeg = startFfmpeg({
      input: fromFile(large),
      output: { kind: 'transcode', height: undefined },
      limits: { memoryMegabytes: 50 },
    })

    const { problem } = await readAll(ffmpeg)

    assert.match(problem, /more memory than cameras.maxMemoryMegabytes allows/)
  })

  test('that takes more cores than it may is noticed', async () => {
    const spinning = spawn('sh', ['-c', 'while :; do :; done'])
    const { promise, resolve } = Promise.withResolvers<string>()
    try {
      using _watch = watchResources({
        pid: spinning.pid ?? 0,
        limits: { memoryMegabytes: 512, cores: 0.1 },
        onExceeded: resolve,
        intervalMilliseconds: 50,
        meanSeconds: 1,
      })

      assert.equal(await promise, 'The video of the camera takes more than 0.1 processor cores.')
    } finally {
      spinning.kill('SIGKILL')
    }
  })
})

describe('an ffmpeg that is stopped', () => {
  test('is gone, and says so', async () => {
    const ffmpeg = startStalled()
    await describeProcess(ffmpeg.pid, 'stat')

    await ffmpeg[Symbol.asyncDispose]()

    assert.equal(await isRunning(ffmpeg.pid), false)
    assert.deepEqual(await ffmpeg.ended, { problem: 'The stream was stopped.', detail: '' })
  })

  test('is gone though nobody reads what it writes', async () => {
    const ffmpeg = startFfmpeg({ input: ['-stream_loop', '-1', ...fromFile(h264)] })
    await once(ffmpeg.ts, 'readable')
    // It fills what lies between, and waits.
    await sleep(500)

    await ffmpeg[Symbol.asyncDispose]()

    assert.equal(await isRunning(ffmpeg.pid), false)
    assert.ok(ffmpeg.ts.destroyed && ffmpeg.flv.destroyed, 'nothing waits for a reader')
  })

  test('is gone though it hangs', async () => {
    const ffmpeg = startStalled()
    await hang(ffmpeg.pid)

    await ffmpeg[Symbol.asyncDispose]()

    assert.equal(await isRunning(ffmpeg.pid), false)
  })

  for (const state of ['waits', 'hangs'])
    test(`with a service that was killed is gone, one that ${state}`, async () => {
      const parent = spawn(process.execPath, [PARENT], { stdio: ['ignore', 'pipe', 'inherit'] })
      const [line] = await once(parent.stdout, 'data')
      const pid = Number(line)
      await (state === 'hangs' ? hang(pid) : describeProcess(pid, 'stat'))

      parent.kill('SIGKILL')
      await once(parent, 'exit')

      await eventually(async () => assert.equal(await isRunning(pid), false))
    })
})

describe('a program', () => {
  test('that is missing is named with what to install, and found once it is there', async () => {
    const command = join(folder, 'later')
    const program = new FfmpegProgram(command)
    assert.equal(await program.findProblem(), NOT_THERE)

    await writeFile(command, '#!/bin/sh\necho ffmpeg version 5.1.9-0+deb12u1 Copyright\n')
    await chmod(command, 0o755)

    assert.equal(await program.findProblem(), undefined)
  })

  test('that cannot be started is named by its setting', async () => {
    assert.equal(
      await new FfmpegProgram(folder).findProblem(),
      'The setting cameras.ffmpeg names a program that cannot be started.',
    )
  })

  test('that was found is not asked for again', async () => {
    const program = new FfmpegProgram('ffmpeg')

    assert.equal(await program.findProblem(), undefined)
    assert.equal(program.findProblem(), program.findProblem())
  })

  test('that is missing when it is started ends with that sentence', async () => {
    await using ffmpeg = new FfmpegProcess({
      command: join(folder, 'missing'),
      input: fromFile(h264),
      stdin: undefined,
      output: { kind: 'copy' },
      limits: LIMITS,
      log: silent,
    })

    const { ts, problem } = await readAll(ffmpeg)

    assert.deepEqual({ problem, bytes: ts.length }, { problem: NOT_INSTALLED, bytes: 0 })
  })
})
