import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { after, before, describe, test } from 'node:test'
import type { AlarmEvent, ServerEvent } from '@plumbline/contract'
import { eventually } from '../_eventually.ts'
import { MINUTE, withClock, type Held } from '../ingest/_early.ts'

let held: Held

before(async () => {
  held = await withClock()
})

after(() => held[Symbol.asyncDispose]())

/** Sends a strain of station 1001 some minutes after the start. */
const send = (minute: number, strain: number) => held.sendTheme([minute * MINUTE, strain])

/** Follows events with a token until it is disposed. */
async function follow({ token = held.token, query = '', lastEventId = '' } = {}) {
  const { service, certificate } = held.service
  const sent = request(`${service.origin}/manage/v1/events${query}`, {
    ca: certificate,
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
  }).end()
  const [response]: IncomingMessage[] = await once(sent, 'response')
  assert.equal(response?.headers['content-type'], 'text/event-stream')
  let text = ''
  response?.setEncoding('utf8').on('data', (part: string) => (text += part))
  const ended = Promise.withResolvers<void>()
  response?.on('error', () => {}).once('close', ended.resolve)
  const events = (): ServerEvent[] =>
    [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data))
  await eventually(() => assert.match(text, /^(event: reset\n)?id: [^\n]+\n/))
  return {
    text: () => text,
    events,
    ended: ended.promise,
    alarms: () => events().filter((one): one is AlarmEvent => one.type === 'alarm'),
    [Symbol.dispose]: () => void sent.destroy(),
  }
}

const steps = (alarms: readonly AlarmEvent[]) =>
  alarms.map(({ alarm, step, transition }) => [alarm.id, step, transition.alarmState])

describe('streamEvents', () => {
  let first = ''

  test('a new record and a transition of an alarm come to those who may see the structure', async () => {
    using everyone = await follow()
    using river = await follow({ token: await held.service.issueToken(2) })

    await send(0, 250)

    const newest = { type: 'newest', structureId: 1, stationIds: [1001] }
    await eventually(() => {
      assert.deepEqual(
        everyone.events().filter(({ type }) => type === 'newest'),
        [newest],
      )
      assert.equal(everyone.alarms().length, 1)
    })
    const [event] = everyone.alarms()
    first = event?.id ?? ''
    assert.match(everyone.text(), new RegExp(`^event: alarm\\nid: ${first}\\ndata: `, 'm'))
    assert.deepEqual([event?.step, event?.transition.alarmState], [0, 0])
    assert.equal(event?.transition.content, event?.alarm.content)
    const { structureId, stationId, level } = event!.alarm
    assert.deepEqual([structureId, stationId, level], [1, 1001, 2])
    assert.deepEqual(river.events(), [])
  })

  test('who comes back gets each transition of the meantime once, in order', async () => {
    await send(1, 350)
    await send(2, 0)
    await send(3, 250)
    using header = await follow({ lastEventId: first, query: '?lastEventId=0' })
    using query = await follow({ query: `?lastEventId=${first}` })
    const expected = [
      [1, 1, 2],
      [1, 2, 3],
      [2, 0, 0],
    ]

    for (const { alarms } of [header, query])
      await eventually(() => assert.deepEqual(steps(alarms()), expected))
    await send(4, 350)
    await eventually(() => assert.deepEqual(steps(header.alarms()), [...expected, [2, 1, 2]]))
  })

  test('an account or application follows at most fifty times at once', async () => {
    const { service } = held
    const token = await service.issueToken(1)
    const followers = await Promise.all(Array.from({ length: 50 }, () => follow({ token })))
    const headers = { authorization: `Bearer ${token}` }
    const ask = () => service.call('/manage/v1/events', { headers })

    const refused = await ask()
    followers.pop()?.[Symbol.dispose]()
    await eventually(async () => (await follow({ token }))[Symbol.dispose]())
    for (const follower of followers) follower[Symbol.dispose]()

    assert.equal(refused.status, 429, refused.text)
    assert.match(refused.json().message, /You follow events 50 times already/)
    assert.equal(refused.headers['retry-after'], '30')
  })

  test('who was away too long, or comes from other data, is told to read the state again', async () => {
    const { storage } = held.service
    await storage.events.expire(Number.MAX_SAFE_INTEGER)
    const { first: kept, last } = await storage.events.bounds()
    assert.equal(kept, last)

    for (const lastEventId of [first, '99999', `${last}-1700000000000`, 'x']) {
      using follower = await follow({ lastEventId })
      assert.deepEqual(follower.events(), [{ type: 'reset', id: String(last) }], lastEventId)
    }
    using resumed = await follow({ lastEventId: String(last - 1) })
    await eventually(() => assert.deepEqual(steps(resumed.alarms()), [[2, 1, 2]]))
  })

  test('ends with the token, and when the service closes', async () => {
    const application = await held.service.createApplication()
    const issued = await held.service.postForm('/oauth2/token', application, {
      grant_type: 'client_credentials',
    })
    using revoked = await follow({ token: issued.json().token })
    using open = await follow()

    await held.service.storage.applications.revoke(application.appId, held.clock.now)
    await revoked.ended
    const begin = performance.now()
    await held[Symbol.asyncDispose]()
    await open.ended

    assert.ok(performance.now() - begin < 5000)
  })
})
