import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { workplace, wordsOf } from '../cli/_cli.ts'
import { readDay, sendSecond } from '../faults/_one-station.ts'
import { makeDataFolder } from '../faults/_site.ts'
import { randomNumbers, runs, SEED } from '../_random.ts'

/** Sends one record after the other until it is stopped. */
class Sending {
  acknowledged = 0
  readonly #stop = new AbortController()
  readonly #sent: Promise<void>

  constructor(child: Child) {
    this.#sent = this.#send(child)
  }

  async #send(child: Child): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const response = await sendSecond(child, this.acknowledged + 1)
      assert.equal(response.status, 200, response.text)
      this.acknowledged++
    }
  }

  /** Waits until so many records were acknowledged. */
  async until(count: number): Promise<void> {
    const reached = eventually(() => assert.ok(this.acknowledged >= count))
    await Promise.race([reached, this.#sent])
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#sent
  }
}

/** The values of a service on a folder. */
async function readValues(folder: string): Promise<number[]> {
  await using child = await startChild(folder)
  return (await readDay(child)).map(({ v }) => v)
}

const countTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

describe(`backups under load, seed ${SEED}`, () => {
  test('a backup has what was acknowledged before it, and nothing without what came before', async () => {
    await using data = await makeDataFolder()
    await using place = await workplace()
    await using child = await startChild(data.folder)
    const sending = new Sending(child)
    await sending.until(50)

    const begun = sending.acknowledged
    const made = await place.runProcess(['backup', 'backups', '--data', data.folder])
    const ended = sending.acknowledged
    await sending.stop()
    const restored = await place.runProcess(['restore', 'backups', '--data', 'restored'])

    assert.deepEqual([made.code, wordsOf(made), restored.code, wordsOf(restored)], [0, '', 0, ''])
    assert.ok(ended > begun, 'records came in meanwhile')
    const values = await readValues(join(place.folder, 'restored'))
    assert.ok(values.length >= begun, `${values.length} of ${begun}`)
    assert.deepEqual(values, countTo(values.length))
  })

  test('after a backup that was killed the next one is whole, and nothing is left of the first', async () => {
    const random = randomNumbers()
    await using data = await makeDataFolder()
    await using place = await workplace()
    await using child = await startChild(data.folder)
    const sending = new Sending(child)
    await sending.until(50)

    for (let kill = 0; kill < runs(40, 2); kill++) {
      const running = place.begin(['backup', 'backups', '--data', data.folder])
      await sleep(random() * 900)
      running.kill()
      await running.ended
    }
    const begun = sending.acknowledged
    const made = await place.runProcess(['backup', 'backups', '--data', data.folder, '--keep', '1'])
    await sending.stop()
    const restored = await place.runProcess(['restore', 'backups', '--data', 'restored'])

    assert.deepEqual([made.code, wordsOf(made), restored.code, wordsOf(restored)], [0, '', 0, ''])
    const left = (await readdir(join(place.folder, 'backups'))).filter((name) =>
      /^\d|unfinished/.test(name),
    )
    assert.equal(left.length, 1)
    const values = await readValues(join(place.folder, 'restored'))
    assert.ok(values.length >= begun)
    assert.deepEqual(values, countTo(values.length))
  })
})
