import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRegular } from './regular-file.ts'

/** Opens the file again and again while something else is swapped in and out of its way. */
async function readDuring(path: string, swap: () => Promise<void>): Promise<Set<string>> {
  const seen = new Set<string>()
  const over = new AbortController()
  const swapping = (async () => {
    for (let turn = 0; turn < 300; turn++) await swap()
    over.abort()
  })()
  while (!over.signal.aborted) {
    const text = await read(path).catch(() => undefined)
    if (text !== undefined) seen.add(text)
  }
  await swapping
  return seen.add(await read(path))
}

async function read(path: string): Promise<string> {
  await using handle = await openRegular(path)
  return handle.readFile('utf8')
}

async function twoFolders(t: { after(work: () => Promise<void>): void }) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'plumbline-regular-')))
  t.after(() => rm(home, { recursive: true }))
  const [inside, outside] = [join(home, 'inside'), join(home, 'outside')]
  for (const folder of [inside, outside]) {
    await mkdir(folder)
    await writeFile(join(folder, 'a.csv'), folder === inside ? 'ours' : 'secret')
  }
  return { home, inside, outside }
}

test('a link that is swapped with the file all the time is never followed', async (t) => {
  const { inside, outside } = await twoFolders(t)
  const path = join(inside, 'a.csv')

  const seen = await readDuring(path, async () => {
    await symlink(join(outside, 'a.csv'), join(inside, 'next'))
    await rename(join(inside, 'next'), path)
    await writeFile(join(inside, 'next'), 'ours')
    await rename(join(inside, 'next'), path)
  })

  assert.deepEqual([...seen], ['ours'])
})

test('a FIFO that is swapped with the file all the time is never waited for', async (t) => {
  const { home, inside } = await twoFolders(t)
  const path = join(inside, 'a.csv')
  execFileSync('mkfifo', [join(home, 'fifo')])

  const seen = await readDuring(path, async () => {
    await link(join(home, 'fifo'), join(inside, 'next'))
    await rename(join(inside, 'next'), path)
    await writeFile(join(inside, 'next'), 'ours')
    await rename(join(inside, 'next'), path)
  })

  assert.deepEqual([...seen], ['ours'])
})

test('a link that is swapped with the folder all the time is never followed', async (t) => {
  const { home, inside, outside } = await twoFolders(t)

  const seen = await readDuring(join(inside, 'a.csv'), async () => {
    await rename(inside, join(home, 'moved'))
    await symlink(outside, inside)
    await rm(inside)
    await rename(join(home, 'moved'), inside)
  })

  assert.deepEqual([...seen], ['ours'])
})
