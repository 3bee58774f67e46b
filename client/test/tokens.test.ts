import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../src/index.ts'
import { startServer } from './_server.ts'

const credentials = { applicationId: 'app', applicationSecret: 'p w:%' }
const DAY = 86_400_000

/** A service whose tokens are t1, t2, ...; those in `refused` get status 401. */
async function startTokenServer({ lifetime = 30 * DAY, refused = [] as string[] } = {}) {
  let issued = 0
  return startServer(({ url, authorization }) => {
    if (url.endsWith('/oauth2/token/invalidate')) return { status: 204, body: '' }
    if (url.includes('/oauth2/token')) {
      issued++
      const expires_in = new Date(Date.now() + lifetime).toISOString()
      return { body: { token: `t${issued}`, expires_in } }
    }
    return refused.includes(authorization.replace('Bearer ', ''))
      ? { status: 401, body: { name: 'Unauthorized', message: 'The token is not valid.' } }
      : { body: [] }
  })
}

const sent = ({ seen }: { seen: { url: string; authorization: string }[] }) =>
  seen.map(({ url, authorization }) =>
    url.includes('/oauth2/') ? url.replace('/api/v1', '') : authorization,
  )

test('the token is issued on first use and kept', async () => {
  await using server = await startTokenServer()
  const client = createClient({ baseUrl: server.baseUrl, ...credentials })

  assert.equal(server.seen.length, 0)
  await client.listStructures()
  await client.listCameras()

  assert.deepEqual(sent(server), ['/oauth2/token', 'Bearer t1', 'Bearer t1'])
})

test('credentials are encoded, joined and sent as Basic; the body is a form', async () => {
  await using server = await startTokenServer()
  const client = createClient({ baseUrl: server.baseUrl, ...credentials })

  await client.issueToken()
  await client.refreshToken({ token: 't1' })
  const nothing = await client.invalidateToken({ token: 't1' })

  const expected = Buffer.from('app:p%20w%3A%25').toString('base64')
  assert.equal(nothing, undefined)
  for (const { authorization, contentType } of server.seen) {
    assert.equal(authorization, `Basic ${expected}`)
    assert.equal(contentType, 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  assert.deepEqual(
    server.seen.map(({ body }) => Object.fromEntries(new URLSearchParams(body))),
    [
      { grant_type: 'client_credentials' },
      { grant_type: 'refresh_token', token: 't1' },
      { token: 't1' },
    ],
  )
})

test('calls made at the same time share one token', async () => {
  await using server = await startTokenServer()
  const client = createClient({ baseUrl: server.baseUrl, ...credentials })

  await Promise.all([client.listStructures(), client.listCameras(), client.listStructures()])

  assert.deepEqual(sent(server), ['/oauth2/token', 'Bearer t1', 'Bearer t1', 'Bearer t1'])
})

test('a token near its end is replaced before it is sent', async () => {
  await using server = await startTokenServer({ lifetime: 30_000 })
  const client = createClient({ baseUrl: server.baseUrl, ...credentials })

  await client.listStructures()
  await client.listStructures()

  assert.deepEqual(sent(server), ['/oauth2/token', 'Bearer t1', '/oauth2/token', 'Bearer t2'])
})

test('a refused token is replaced and the call repeated', async () => {
  await using server = await startTokenServer({ refused: ['t1'] })
  const client = createClient({ baseUrl: server.baseUrl, ...credentials })

  await client.listStructures()

  assert.deepEqual(sent(server), ['/oauth2/token', 'Bearer t1', '/oauth2/token', 'Bearer t2'])
})

test('a second refusal reaches the caller', async () => {
  await using server = await startTokenServer({ refused: ['t1', 't2'] })
  const client = createClient({ baseUrl: server.baseUrl, ...credentials })

  await assert.rejects(client.listStructures(), { status: 401, name: 'Unauthorized' })
  assert.equal(server.seen.length, 4)
})

test('a client that only has a token does not renew it', async () => {
  await using server = await startTokenServer({ refused: ['mine'] })
  const client = createClient({ baseUrl: server.baseUrl, token: 'mine' })

  await assert.rejects(client.listStructures(), { status: 401 })
  assert.deepEqual(sent(server), ['Bearer mine'])
})

test('a token that could not be issued is asked for again by the next call', async () => {
  let calls = 0
  await using server = await startServer(({ url }) => {
    if (!url.includes('/oauth2/')) return { body: [] }
    calls++
    return calls === 1
      ? { status: 400, body: { name: 'RequestError', message: 'Token acquisition failed' } }
      : { body: { token: 't', expires_in: new Date(Date.now() + DAY).toISOString() } }
  })
  const client = createClient({ baseUrl: server.baseUrl, ...credentials })

  await assert.rejects(client.listStructures(), { status: 400, name: 'RequestError' })
  assert.deepEqual(await client.listStructures(), [])
})
