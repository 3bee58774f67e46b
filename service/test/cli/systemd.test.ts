import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { startChild } from '../_child.ts'
import { needCommand } from '../_debian.ts'
import { eventually } from '../_eventually.ts'
import { startServiceManager, type ServiceManager } from '../_service-manager.ts'

await needCommand('systemd-notify', 'systemd')

const WATCHDOG = 'WATCHDOG=1'
const MISSING = /systemd-notify is not in the path/

async function makeFolder(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-systemd-'))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Signs that were on their way have come after some time; those that go on leave no second without one. */
const aQuietSecond = (manager: ServiceManager): Promise<void> =>
  eventually(async () => {
    const before = manager.count(WATCHDOG)
    await wait(1_000)
    assert.equal(manager.count(WATCHDOG), before)
  })

for (const kind of ['a path', 'an abstract name'])
  test(`a socket with ${kind} hears when the service is ready and when it stops`, async () => {
    await using place = await makeFolder()
    const name = join(place.folder, 'notify')
    await using manager = await startServiceManager(kind === 'a path' ? name : `@${name}`)

    await using child = await startChild(join(place.folder, 'data'), {
      NOTIFY_SOCKET: manager.socket,
    })
    await manager.line('READY=1')
    assert.equal(manager.count('STOPPING=1'), 0)
    await child.stop()

    assert.deepEqual(manager.lines, [
      'READY=1',
      `STATUS=Ready at ${child.origin}.`,
      'STOPPING=1',
      'STATUS=Stopping.',
    ])
  })

test('the watchdog gets a sign of life only while the storage answers', async () => {
  await using place = await makeFolder()
  await using manager = await startServiceManager(join(place.folder, 'notify'))
  const data = join(place.folder, 'data')
  await using child = await startChild(data, {
    NOTIFY_SOCKET: manager.socket,
    WATCHDOG_USEC: '600000',
  })
  await eventually(() => assert.ok(manager.count(WATCHDOG) >= 3))

  using other = Object.assign(new Database(join(data, 'plumbline.db')), {
    [Symbol.dispose](this: Database.Database) {
      this.close()
    },
  })
  other.exec('begin immediate')
  await aQuietSecond(manager)
  const before = manager.count(WATCHDOG)
  other.exec('rollback')

  await eventually(() => assert.ok(manager.count(WATCHDOG) >= before + 3))
  await child.stop()
  assert.equal(manager.count('STOPPING=1'), 1)
})

test('a watchdog of another process gets no sign of life', async () => {
  await using place = await makeFolder()
  await using manager = await startServiceManager(join(place.folder, 'notify'))

  await using child = await startChild(join(place.folder, 'data'), {
    NOTIFY_SOCKET: manager.socket,
    WATCHDOG_USEC: '30000',
    WATCHDOG_PID: '1',
  })
  await manager.line('READY=1')
  await child.stop()

  assert.equal(manager.count(WATCHDOG), 0)
})

test('without systemd-notify the service runs, and the log says once what is missing', async () => {
  await using place = await makeFolder()

  await using child = await startChild(join(place.folder, 'data'), {
    NOTIFY_SOCKET: join(place.folder, 'notify'),
    WATCHDOG_USEC: '300000',
    PATH: place.folder,
  })
  await eventually(() => assert.match(child.logged, MISSING))
  const { status } = await child.getOps('/health/ready')
  await child.stop()

  assert.equal(status, 200)
  assert.equal(child.logged.split(MISSING).length, 2)
})
