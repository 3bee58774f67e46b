import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readDay, sendSecond } from '../faults/_one-station.ts'
import { copyingProcess, makeCopiedFolder, restored, untilCopied } from './_copied.ts'

const send = async (child: Parameters<typeof sendSecond>[0], second: number): Promise<void> => {
  const response = await sendSecond(child, second)
  assert.equal(response.status, 200, response.text)
}

const values = async (child: Parameters<typeof readDay>[0]): Promise<number[]> =>
  (await readDay(child)).map(({ v }) => v)

describe('a continuous copy', () => {
  test('has what was stored when the data folder is gone, certificate and secrets too', async () => {
    await using data = await makeCopiedFolder()
    await using child = await data.serve()
    await send(child, 1)
    await untilCopied(child)
    await send(child, 2)
    await untilCopied(child)
    process.kill(copyingProcess(child), 'SIGKILL')
    await child.kill()
    const certificate = await readFile(join(data.folder, 'tls', 'certificate.pem'), 'utf8')
    await rm(data.folder, { recursive: true })

    const found = await restored(data.copy, async (again, { stdout }) => {
      assert.match(stdout, /^Restored what was stored until /m)
      return { values: await values(again), certificate: again.certificate }
    })

    assert.deepEqual(found, { values: [1, 2], certificate })
  })

  test('is continued after a stop and after a kill', async () => {
    await using data = await makeCopiedFolder()
    {
      await using child = await data.serve()
      await send(child, 1)
      await untilCopied(child)
      await send(child, 2)
      await child.stop()
    }
    {
      await using child = await data.serve()
      await send(child, 3)
      await untilCopied(child)
      process.kill(copyingProcess(child), 'SIGKILL')
      await send(child, 4)
      await child.kill()
    }
    await using child = await data.serve()
    await send(child, 5)
    const health = await untilCopied(child)

    assert.equal((await data.generations()).length, 1)
    assert.equal(health.generations, 0)
    assert.deepEqual(await restored(data.copy, values), [1, 2, 3, 4, 5])
  })
})
