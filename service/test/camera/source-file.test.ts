import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readWithFfmpeg } from './_ffmpeg.ts'
import { startTcpServer } from './_http-camera.ts'
import { openSource } from './_open.ts'
import { videoPath } from './_videos.ts'

/** The data folder with a folder of cameras' files, and a file beside it. */
async function makeFolder() {
  const data = await mkdtemp(join(tmpdir(), 'plumbline-files-'))
  const folder = join(data, 'cameras')
  await mkdir(join(folder, 'north'), { recursive: true })
  return {
    data,
    folder,
    async [Symbol.asyncDispose]() {
      await rm(data, { recursive: true })
    },
  }
}

for (const format of ['ts', 'flv', 'mp4', 'mkv'] as const)
  test(`a file is played again and again, at its own pace (${format})`, async () => {
    await using files = await makeFolder()
    const { folder } = files
    await copyFile(await videoPath(format, 1), join(folder, 'north', `pier 1.${format}`))
    await using opened = await openSource(`file:north/pier 1.${format}`, { folder })
    const start = performance.now()

    const { pictures, said } = await readWithFfmpeg(opened, { pictures: 40 })

    assert.equal(pictures, 40, said)
    assert.ok(performance.now() - start > 1_000)
    assert.equal(opened.failure(), undefined)
  })

test('a link may lead to a file of the folder, and nowhere else', async () => {
  await using files = await makeFolder()
  const { data, folder } = files
  await copyFile(await videoPath('ts', 1), join(folder, 'a.ts'))
  await writeFile(join(data, 'key.pem'), 'secret')
  await symlink('a.ts', join(folder, 'inside.ts'))
  await symlink('../key.pem', join(folder, 'outside.ts'))
  await symlink(data, join(folder, 'up'))

  await using opened = await openSource('file:inside.ts', { folder })

  assert.equal((await readWithFfmpeg(opened)).pictures, 20)
  for (const [name, message] of [
    ['outside.ts', 'The file of the camera is a link that leads out of its folder.'],
    ['up/key.pem', 'The file of the camera is a link that leads out of its folder.'],
    ['north', 'The file of the camera is not a regular file.'],
    ['gone.ts', 'The folder cameras of the data folder has no file of this name.'],
  ] as const)
    await assert.rejects(openSource(`file:${name}`, { folder }), { name: 'SourceError', message })
})

test('a file that names other files or addresses is not played', async () => {
  await using inner = await startTcpServer()
  await using files = await makeFolder()
  const { folder } = files
  const address = `http://127.0.0.1:${inner.port}/x.ts`
  await copyFile(await videoPath('ts', 1), join(folder, 'a.ts'))
  for (const [name, text] of [
    ['list.mp4', `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${address}\n`],
    ['local.m3u8', '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n'],
    ['list.ts', `ffconcat version 1.0\nfile '${address}'\n`],
  ] as const) {
    await writeFile(join(folder, name), text)
    await using opened = await openSource(`file:${name}`, { folder })

    assert.equal((await readWithFfmpeg(opened)).pictures, 0, name)
  }
  assert.equal(inner.connections, 0)
})
