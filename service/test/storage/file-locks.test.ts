import assert from 'node:assert/strict'
import { copyFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { newPlace, rowsOf } from './_place.ts'

test('writing and inspecting leave the lock on the database, which keeps its log from others', async () => {
  await using place = await newPlace((folder) => openSqlite(folder))
  const file = join(place.folder, 'plumbline.db')
  await using storage = await place.open()
  const { ino } = await stat(file)
  const held = new RegExp(`READ +${process.pid} .*:${ino} `)

  for (const time of [1, 2, 3]) {
    await storage.records.write({ theme: rowsOf(1, [time]) })
    assert.match(await readFile('/proc/locks', 'utf8'), held)
  }
  await copyFile(`${file}-wal`, `${file}-wal.damaged-20260101T000000000Z`)
  assert.match((await storage.inspect()).damaged.join(), /damaged-20260101/)

  assert.match(await readFile('/proc/locks', 'utf8'), held)
})
