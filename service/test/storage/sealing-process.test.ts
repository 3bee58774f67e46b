import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { zone } from '../../src/domain/time/local-time.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { eventually } from '../_eventually.ts'
import { newDatabase, startServer } from '../_postgres.ts'
import { childrenOf, signal, untilGone } from '../postgres/_processes.ts'
import { minutes, readRecords, rowsOf } from './_place.ts'

const DAY = 86_400_000
const FIRST = 19_000

/** Seals one day of station 1. */
const seal = (storage: Storage, day = 0) =>
  storage.sealedDays.seal({
    kind: 'theme',
    source: 1,
    start: (FIRST + day) * DAY,
    until: (FIRST + day + 1) * DAY,
    zone: zone('UTC'),
  })

/** Three records of station 1 in each of some days. */
const writeDays = (storage: Storage, count: number) =>
  storage.records.write({
    theme: rowsOf(
      1,
      Array.from({ length: count }, (_, day) => minutes(3, (FIRST + day) * DAY)).flat(),
    ),
  })

/** The processes that seal for this one. */
const sealing = (): number[] =>
  childrenOf(process.pid).filter((pid) => commandOf(pid).includes('sealing-program'))

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

type Opened = { storage: Storage } & AsyncDisposable

const engines: Record<string, () => Promise<Opened>> = {
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-sealing-'))
    const storage = await openSqlite(folder)
    return {
      storage,
      async [Symbol.asyncDispose]() {
        await storage[Symbol.asyncDispose]()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
  async postgres() {
    const database = await newDatabase()
    const storage = await openPostgres(database.url, { poolSize: 10, statementTimeoutSeconds: 60 })
    return {
      storage,
      async [Symbol.asyncDispose]() {
        await storage[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  },
}

for (const [engine, open] of Object.entries(engines))
  describe(engine, () => {
    test('days are sealed in one child process, which ends with the storage', async () => {
      const opened = await open()
      await writeDays(opened.storage, 3)
      assert.deepEqual(sealing(), [])

      for (const day of [0, 1, 2]) assert.equal((await seal(opened.storage, day)).records, 3)

      const children = sealing()
      assert.equal(children.length, 1)
      assert.equal((await readRecords(opened.storage, { source: 1 })).length, 9)
      await opened[Symbol.asyncDispose]()
      assert.deepEqual(sealing(), [])
    })

    test('a process that dies fails its day, and another one seals it', async () => {
      await using opened = await open()
      await writeDays(opened.storage, 2)
      await seal(opened.storage, 0)
      const [child] = sealing()
      signal(child!, 'SIGSTOP')

      const failing = seal(opened.storage, 1)
      signal(child!, 'SIGKILL')

      await assert.rejects(failing, { message: 'the process that seals has ended with SIGKILL' })
      assert.equal((await seal(opened.storage, 1)).records, 3)
      assert.notDeepEqual(sealing(), [child])
    })

    test('a process that was killed while idle is replaced', async () => {
      await using opened = await open()
      await writeDays(opened.storage, 2)
      await seal(opened.storage, 0)
      const [child] = sealing()
      signal(child!, 'SIGKILL')
      await untilGone([child!], 5)

      // The next request may come before the service has noticed.
      await eventually(async () => assert.equal((await seal(opened.storage, 1)).records, 3))
    })
  })

test('a password is no argument and no variable of the process', async () => {
  await using database = await newDatabase()
  const url = new URL(database.url)
  const { password } = url
  assert.ok(password.length > 5)
  url.password = ''
  await using storage = await openPostgres(url.href, {
    password: decodeURIComponent(password),
    poolSize: 10,
    statementTimeoutSeconds: 60,
  })
  await writeDays(storage, 1)

  assert.equal((await seal(storage)).records, 3)

  const [child] = sealing()
  const seen = commandOf(child!) + readFileSync(`/proc/${child}/environ`, 'utf8')
  assert.equal(seen.includes(password), false)
})

test('a database that is away is refused as by the service itself, and sealed when it is back', async () => {
  await using server = await startServer()
  await using storage = await openPostgres(server.url, {
    poolSize: 10,
    statementTimeoutSeconds: 60,
  })
  await writeDays(storage, 1)
  await server.stop()

  await assert.rejects(seal(storage), { name: 'RefusedError', reason: 'unavailable' })
  await server.start()

  await eventually(async () => assert.equal((await seal(storage)).records, 3))
})

test('sealing does not wait for a database that is silent', async () => {
  await using server = await startServer()
  await using storage = await openPostgres(server.url, {
    poolSize: 10,
    statementTimeoutSeconds: 60,
  })
  await writeDays(storage, 2)
  await seal(storage, 0)
  server.pause()

  await assert.rejects(seal(storage, 1), { name: 'RefusedError', reason: 'unavailable' })
  server.resume()

  await eventually(async () => assert.equal((await seal(storage, 1)).records, 3))
})

test('sealing and serving together open no more connections than the setting allows', async () => {
  await using server = await startServer()
  await using storage = await openPostgres(server.url, { poolSize: 6, statementTimeoutSeconds: 60 })
  await writeDays(storage, 1)

  const reads = Array.from({ length: 40 }, () => readRecords(storage, { source: 1 }))
  const writes = Array.from({ length: 40 }, (_, at) =>
    storage.records.write({ theme: rowsOf(at + 2, minutes(2)) }),
  )
  await Promise.all([seal(storage), ...reads, ...writes])

  const [found] = await server.query(
    `select count(*)::int as open from pg_stat_activity where application_name = 'plumbline'`,
  )
  assert.ok((found as { open: number }).open <= 6, JSON.stringify(found))
})
