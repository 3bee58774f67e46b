import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestService } from '../_service.ts'
import { IN_THE_CLEAR, TOPIC, withBroker } from '../ingest/_broker.ts'
import { payload, Publisher, range, requireStored, START } from '../ingest/_messages.ts'

const wide = (members: number): string => {
  const values = Array.from({ length: members }, (_, at) => `"k${at}":1`).join()
  return `{"ts":${START},"values":{${values}}}`
}

describe('a message that is hard to parse', () => {
  let service: TestService
  let publisher: Publisher

  before(async () => {
    const broker = await withBroker(IN_THE_CLEAR)
    service = broker.service
    publisher = await Publisher.connect(`mqtt://127.0.0.1:${broker.port}`, {
      username: 'x',
      password: broker.password,
    })
  })
  after(async () => {
    await publisher[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  const reasonOf = async (message: string): Promise<string | undefined> => {
    await publisher.publish(TOPIC, message)
    const [kept] = await service.storage.rejects.list({ limit: 1 })
    assert.equal(kept?.payload.length, message.length)
    return kept?.reason
  }

  test('beyond the limits of bodies is kept with the reason and acknowledged', async () => {
    const beside = 'the payload has at most 262144 characters apart from its lists'
    const deep = 'the JSON is nested too deeply: at most 32 levels (http.maxJsonDepth)'

    assert.equal(await reasonOf(wide(90_000)), beside)
    assert.equal(await reasonOf('['.repeat(1_000_000)), beside)
    assert.equal(await reasonOf('{"a":'.repeat(200_000)), deep)
    assert.equal(await reasonOf(' '.repeat(1_000)), 'the payload is empty')
    assert.equal(
      await reasonOf('{"ts":[1],"ts":[2],"values":{}}'),
      'the payload has two lists of the same name',
    )
  })

  test('that is a long list does not lose its other records', async () => {
    const numbers = range(0, 10_000)
    const records = numbers.map(payload)
    const deep = `{"ts":${START},"values":${'['.repeat(40)}${']'.repeat(40)}}`

    assert.equal(
      await reasonOf(`[${[wide(30_000), deep, ...records].join()}]`),
      'record 0: a record has at most 262144 bytes of JSON, apart from its lists; ' +
        'record 1: the JSON is nested too deeply: at most 32 levels (http.maxJsonDepth)',
    )

    requireStored(service.folder, numbers)
  })
})
