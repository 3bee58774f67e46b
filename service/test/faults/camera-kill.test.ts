import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createApplication } from '../../src/site/applications.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { callHttps } from '../_service.ts'
import { siteWith } from '../camera/_cameras.ts'
import { makeClip } from '../camera/_camera-clips.ts'

const SITE = siteWith([
  { id: 1, source: 'file:clip.mp4' },
  { id: 2, source: 'file:clip.mp4', standard: { height: 120 } },
])

/** A service in a process of its own that plays two cameras, and the ids of their ffmpegs. */
async function playing(stack: AsyncDisposableStack): Promise<{ child: Child; ffmpegs: number[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-camera-kill-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await makeClip(folder, 'clip.mp4')
  const storage = await openSqlite(folder)
  await applySite(storage, { text: SITE, fileName: 'site.yaml' })
  const application = await createApplication(storage, { userId: 1, name: 'test', scope: 'read' })
  await storage[Symbol.asyncDispose]()
  const child = stack.use(await startChild(folder))
  const token = await issueToken(child, application)
  for (const serialNo of ['C1', 'C2']) {
    const info = await call(child, `/api/v1/camera/info?token=${token}`, {
      serialNo,
      protocol: 'hls',
    })
    const { pathname } = new URL(info.json().data.hls_url)
    assert.equal((await call(child, pathname)).status, 200)
  }
  const ffmpegs = await childrenOf(child.pid)
  assert.equal(ffmpegs.length, 2)
  return { child, ffmpegs }
}

const call = ({ origin, certificate }: Child, path: string, body?: object) =>
  callHttps(`${origin}${path}`, certificate, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })

async function issueToken(
  { origin, certificate }: Child,
  { appId, appSecret }: { appId: string; appSecret: string },
): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`
  const response = await callHttps(`${origin}/api/v1/oauth2/token`, certificate, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  return response.json().token
}

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')),
  )
  return lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
}

const isRunning = async (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) Z /.test(stat),
    () => false,
  )

async function assertGone(ffmpegs: readonly number[]): Promise<void> {
  await eventually(async () => {
    for (const pid of ffmpegs) assert.equal(await isRunning(pid), false, `ffmpeg ${pid} runs on`)
  })
}

test('kill -9 of the service leaves no ffmpeg behind, nor one that hangs', async () => {
  await using stack = new AsyncDisposableStack()
  const { child, ffmpegs } = await playing(stack)
  process.kill(ffmpegs[0]!, 'SIGSTOP')

  await child.kill()

  await assertGone(ffmpegs)
})

test('a service that is stopped ends its ffmpegs first, also one that hangs', async () => {
  await using stack = new AsyncDisposableStack()
  const { child, ffmpegs } = await playing(stack)
  process.kill(ffmpegs[0]!, 'SIGSTOP')
  const began = performance.now()

  await child.stop()

  const seconds = (performance.now() - began) / 1000
  assert.ok(seconds < 6, `${seconds} s`)
  await assertGone(ffmpegs)
})

test('an ffmpeg that is killed is started again, and the playlist says that times begin anew', async () => {
  await using stack = new AsyncDisposableStack()
  const { child, ffmpegs } = await playing(stack)

  process.kill(ffmpegs[0]!, 'SIGKILL')

  await eventually(async () => {
    const now = await childrenOf(child.pid)
    assert.ok(now.length === 2 && !now.includes(ffmpegs[0]!), now.join())
  })
})
