import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { once } from 'node:events'
import { FolderWatch } from '../../src/ingest/files/folder-watch.ts'
import { afterCalls } from '../_after-calls.ts'
import { HEADER, row, watched, type Watched } from '../ingest/_watched.ts'

/** What stands outside must not be read; what is written afterwards shows that all was looked at. */
async function looksAgain(place: Watched, strain: number): Promise<void> {
  await writeFile(place.path('z.csv'), `${HEADER}${row(59, strain)}`)
  await place.until(async () => (await place.strains()).includes(strain), true)
}

describe('a watched folder reads regular files below it only', () => {
  test('symbolic links, to a file inside or outside, are skipped with one log line each', async () => {
    await using place = await watched()
    await writeFile(place.path('../secret.csv'), `${HEADER}${row(0, 1)}`)
    await writeFile(place.path('a.csv'), `${HEADER}${row(1, 2)}`)
    await symlink('../secret.csv', place.path('outside.csv'))
    await symlink('a.csv', place.path('inside.csv'))
    await symlink('nowhere', place.path('broken.csv'))
    await place.start()

    await looksAgain(place, 9)
    await looksAgain(place, 10)

    assert.deepEqual(await place.strains(), [2, 10])
    for (const name of ['outside.csv', 'inside.csv', 'broken.csv'])
      assert.equal(place.logged(`${name} is not read for now: it is a symbolic link`), 1, name)
  })

  test('FIFOs, sockets and devices do not hold reading up, and are skipped with one log line each', async (t) => {
    await using place = await watched()
    execFileSync('mkfifo', [place.path('a.csv')])
    const server = createServer().listen(place.path('b.csv'))
    await once(server, 'listening')
    t.after(() => server.close())
    const expected = { 'a.csv': 'a FIFO', 'b.csv': 'a socket' } as Record<string, string>
    if (process.getuid?.() === 0 && makesDevice(place.path('c.csv')))
      expected['c.csv'] = 'a character device'
    await place.start()

    await looksAgain(place, 9)
    await looksAgain(place, 10)

    for (const [name, what] of Object.entries(expected))
      assert.equal(place.logged(`${name} is not read for now: it is ${what}`), 1, name)
  })

  test('a file that is replaced by a link or a FIFO is not read on', async () => {
    await using place = await watched()
    await writeFile(place.path('../secret.csv'), `${HEADER}${row(0, 1)}${row(1, 2)}`)
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}`)
    await writeFile(place.path('b.csv'), `${HEADER}${row(5, 5)}`)
    await place.start()
    await place.until(() => place.strains(), [1, 5])

    await symlink('../secret.csv', place.path('next'))
    await rename(place.path('next'), place.path('a.csv'))
    await rm(place.path('b.csv'))
    execFileSync('mkfifo', [place.path('b.csv')])
    await looksAgain(place, 9)

    assert.deepEqual(await place.strains(), [1, 5, 9])
    assert.equal(place.logged('a.csv is not read for now: it is a symbolic link'), 1)
    await rm(place.path('a.csv'))
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}${row(1, 3)}`)
    await place.until(() => place.strains(), [1, 3, 5, 9])
  })

  test('a folder that is replaced by a link is not read until the folder is back', async () => {
    await using place = await watched()
    await mkdir(place.path('../elsewhere'))
    await writeFile(place.path('../elsewhere/a.csv'), `${HEADER}${row(1, 2)}`)
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}`)
    await place.start()
    await place.until(() => place.strains(), [1])

    await rename(place.path(''), place.path('../moved'))
    await symlink('elsewhere', place.path('../incoming'))
    await place.until(() => place.logged('leads to another folder now'), 1)
    await afterCalls(FolderWatch.prototype, 'check')
    assert.deepEqual(await place.strains(), [1])

    await rm(place.path('../incoming'))
    await rename(place.path('../moved'), place.path('../incoming'))
    await appendFile(place.path('a.csv'), row(2, 3))
    await place.until(() => place.strains(), [1, 3])
  })

  test('a link that the settings name as the folder is followed', async () => {
    await using place = await watched({ folders: ['alias'] })
    await symlink('incoming', place.path('../alias'))
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}`)
    await place.start()

    await place.until(() => place.strains(), [1])
  })

  test('a hard link is a file of the folder', async () => {
    await using place = await watched()
    await writeFile(place.path('../written.csv'), `${HEADER}${row(0, 1)}`)
    await link(place.path('../written.csv'), place.path('a.csv'))
    await place.start()

    await place.until(() => place.strains(), [1])
  })

  test('a file that is truncated while it is watched is read from its beginning', async () => {
    await using place = await watched()
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}${row(1, 2)}${row(2, 3)}`)
    await place.start()
    await place.until(() => place.strains(), [1, 2, 3])

    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 7)}`)

    await place.until(() => place.strains(), [7, 2, 3])
  })
})

function makesDevice(path: string): boolean {
  try {
    execFileSync('mknod', [path, 'c', '1', '3'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
