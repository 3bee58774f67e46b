import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isInside } from './is-inside.ts'

test('a folder, what is in it and what links lead into it are inside; neighbours are not', async () => {
  const place = await mkdtemp(join(tmpdir(), 'plumbline-inside-'))
  try {
    await mkdir(join(place, 'data', 'deep'), { recursive: true })
    await symlink(join(place, 'data'), join(place, 'link'))
    const isIn = (path: string) => isInside(join(place, path), join(place, 'data'))

    for (const path of [
      'data',
      'data/new',
      'data/new/er',
      'data/..b',
      'data/a:b',
      'link',
      'link/x',
    ])
      assert.equal(isIn(path), true, path)
    for (const path of ['', 'data-2', 'data/../other', 'link-2', 'data/deep/../../other'])
      assert.equal(isIn(path), false, path)
  } finally {
    await rm(place, { recursive: true })
  }
})
