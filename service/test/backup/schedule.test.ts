import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort, withService } from '../_service.ts'
import { workplace } from '../cli/_cli.ts'
import { fillFolder } from '../cli/_full-site.ts'
import { flipByte } from './_flip-byte.ts'

const isBackup = (name: string): boolean => name.endsWith('Z')

test('a service backs up on schedule, and keeps the newest', async () => {
  await using place = await workplace()
  const to = join(place.folder, 'backups')
  await using _service = await withService({
    folder: join(place.folder, 'data'),
    settings: { 'backup.to': to, 'backup.everyHours': 0.0002, 'backup.keep': 2 },
    backupMilliseconds: 50,
  })

  const seen = new Set<string>()
  await eventually(async () => {
    for (const name of (await readdir(to)).filter(isBackup)) seen.add(name)
    assert.ok(seen.size >= 3)
  })

  await eventually(async () => assert.ok((await readdir(to)).filter(isBackup).length <= 2))
})

test('a service verifies what its backups have stored, and tells damage as a failure', async () => {
  await using place = await workplace()
  const data = join(place.folder, 'data')
  await fillFolder(data)
  const to = join(place.folder, 'backups')
  const port = await freePort()
  await using service = await withService({
    folder: data,
    settings: {
      'backup.to': to,
      'backup.everyHours': 0.0008,
      'backup.verifyEveryDays': 1e-6,
      'ops.port': port,
    },
    backupMilliseconds: 50,
  })
  const get = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  const until = (check: (scheduled: any) => void) =>
    eventually(async () => {
      const { scheduled } = JSON.parse(await get('/health/backup'))
      check(scheduled)
      return scheduled
    })

  const { verification } = await until((found) => assert.notEqual(found.verification, null))
  const [segment = ''] = await readdir(join(to, 'segments'))
  await flipByte(join(to, 'segments', segment))
  const damaged = await until(({ failure }) => assert.notEqual(failure, null))
  const metrics = await get('/metrics')
  const repaired = await until(({ failure }) => assert.equal(failure, null))

  assert.deepEqual([verification.damage, verification.ageSeconds < 60], [[], true])
  assert.equal(damaged.state, 'fails')
  assert.match(damaged.failure, /segments\/.* is damaged or missing\. Its rows are copied again\./)
  assert.deepEqual([repaired.state, repaired.verification.damage], ['works', []])
  assert.match(metrics, /^plumbline_backup_failures_total 1$/m)
  assert.match(metrics, /^plumbline_backup_damaged 1$/m)
  assert.match(metrics, /^plumbline_backup_last_verification_timestamp_seconds \d/m)
  assert.ok(
    service.logged.some((line) =>
      /What earlier backups have stored is damaged: The file/.test(line),
    ),
  )
})

test('health says alike that there are neither backups on schedule nor a continuous copy', async () => {
  const port = await freePort()
  await using _service = await withService({ settings: { 'ops.port': port } })

  const response = await fetch(`http://127.0.0.1:${port}/health/backup`)

  assert.deepEqual(await response.json(), {
    scheduled: { state: 'off' },
    continuous: { state: 'off' },
  })
})

test('health and metrics show why there is no backup, and then the newest one', async () => {
  await using place = await workplace()
  const to = join(place.folder, 'backups')
  await mkdir(to)
  await writeFile(join(to, 'photo.jpg'), '')
  const port = await freePort()
  await using service = await withService({
    folder: join(place.folder, 'data'),
    settings: { 'backup.to': to, 'backup.everyHours': 0.0002, 'ops.port': port },
    backupMilliseconds: 50,
  })
  const get = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  const health = async () => JSON.parse(await get('/health/backup')).scheduled

  const failed = await eventually(async () => {
    const found = await health()
    assert.notEqual(found.failure, null)
    return found
  })
  const metrics = await get('/metrics')
  await rm(join(to, 'photo.jpg'))
  const { last, ageSeconds, failure, state } = await eventually(async () => {
    const found = await health()
    assert.notEqual(found.last, null)
    return found
  })

  assert.match(failed.failure, /holds something else, such as photo\.jpg/)
  assert.deepEqual([failed.last, failed.isOverdue, failure], [null, true, null])
  assert.deepEqual([failed.state, state], ['fails', 'works'])
  assert.match(metrics, /^plumbline_backup_failures_total [1-9]/m)
  assert.ok(
    service.logged.some((line) => /Backup failed: The folder .* holds something else/.test(line)),
  )
  assert.ok(ageSeconds < 60 && last.backup.startsWith(to))
  const success = /^plumbline_backup_last_success_timestamp_seconds (\S+)$/m
  assert.ok(Date.now() / 1000 - Number(success.exec(await get('/metrics'))?.[1]) < 60)
})
