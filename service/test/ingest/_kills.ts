import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../_eventually.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { startChild } from '../_child.ts'
import { Publisher, range, requireStored, storedNumbers } from './_messages.ts'
import { Mosquitto, WRITES_AT_ONCE } from './_mosquitto.ts'
import { SITE } from './_site.ts'

/** A data folder with the site, for services that come and go. */
export async function makeFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-mqtt-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await using storage = await openSqlite(folder)
  await applySite(storage, { text: SITE, fileName: 'site.yaml' })
  return folder
}

const environment = (url: string) => ({
  // What is sealed is not where it is looked for.
  PLUMBLINE_SEAL_EVERY_MINUTES: '0',
  PLUMBLINE_INGEST_MQTT: JSON.stringify([
    {
      name: 'test',
      url,
      connections: 2,
      subscriptions: [{ topic: 'site/{sensor}/up', preset: 'tsValues' }],
    },
  ]),
})

/** Kills the service in the midst of messages, again and again; every one is stored once. */
export async function killService(turns: number, messagesATurn: number): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = await makeFolder(stack)
  await using broker = await Mosquitto.start()
  await using publisher = await Publisher.connect(broker.url)
  const publishing: Promise<void>[] = []

  for (let turn = 0; turn < turns; turn++) {
    await using service = await startChild(folder, environment(broker.url))
    await eventually(() => assert.match(service.logged, /connected, and subscribed/))
    const before = storedNumbers(folder).length
    const first = turn * messagesATurn
    publishing.push(publisher.publishRecords(range(first, first + messagesATurn)))
    await eventually(() => assert.ok(storedNumbers(folder).length > before))
    await service.kill()
  }
  await using _ = await startChild(folder, environment(broker.url))
  await Promise.all(publishing)

  await eventually(() => requireStored(folder, range(0, turns * messagesATurn)))
}

/**
 * Kills the broker in the midst of messages, again and again; every one is stored once.
 *
 * What it had acknowledged and not yet written down is gone with it, as it documents: these
 * messages are sent again.
 */
export async function killBroker(turns: number, messagesATurn: number): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = await makeFolder(stack)
  await using broker = await Mosquitto.start({ lines: WRITES_AT_ONCE })
  await using service = await startChild(folder, environment(broker.url))
  await eventually(() =>
    assert.equal(service.logged.match(/connected, and subscribed/g)?.length, 2),
  )
  await using publisher = await Publisher.connect(broker.url)

  for (let turn = 0; turn < turns; turn++) {
    const before = storedNumbers(folder).length
    const numbers = range(turn * messagesATurn, (turn + 1) * messagesATurn)
    const published = publisher.publishRecords(numbers)
    await eventually(() => assert.ok(storedNumbers(folder).length > before))
    await broker.kill()
    await broker.restart()
    await published
    await waitUntilStored(folder)
    const stored = new Set(storedNumbers(folder))
    const lost = numbers.filter((number) => !stored.has(number))
    await publisher.publishRecords(lost)
    await eventually(() => requireStored(folder, range(0, (turn + 1) * messagesATurn)))
  }
}

/** Waits until nothing has come for a while. */
async function waitUntilStored(folder: string): Promise<void> {
  for (let known = -1; ; await new Promise((resolve) => setTimeout(resolve, 1500))) {
    const count = storedNumbers(folder).length
    if (count === known) return
    known = count
  }
}
