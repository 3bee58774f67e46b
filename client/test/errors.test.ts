import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, PlumblineError } from '../src/index.ts'
import { startServer } from './_server.ts'

test('an error carries status, name and message of the response', async () => {
  const body = { name: 'FindError', message: 'Data query failed: limit must be at least 1.' }
  await using server = await startServer(() => ({ status: 400, body }))
  const client = createClient({ baseUrl: server.baseUrl, token: 't' })

  await assert.rejects(client.getThemeData({ stations: '1', limit: 0 }), (error) => {
    assert.ok(error instanceof PlumblineError)
    assert.equal(error.status, 400)
    assert.equal(error.name, body.name)
    assert.equal(error.message, body.message)
    assert.equal(error.retryAfterSeconds, undefined)
    return true
  })
})

test('a wait that the service asks for is on the error', async () => {
  const body = { name: 'Unavailable', message: 'The disk is full.' }
  const headers = { 'retry-after': '5' }
  await using server = await startServer(() => ({ status: 503, headers, body }))
  const client = createClient({ baseUrl: server.baseUrl, token: 't' })

  await assert.rejects(client.listStructures({}, { retries: 0 }), {
    status: 503,
    kind: 'unavailable',
    retryAfterSeconds: 5,
  })
})

test('an error page of a proxy is an HttpError', async () => {
  await using server = await startServer(() => ({ status: 502, body: '<h1>Bad Gateway</h1>' }))
  const client = createClient({ baseUrl: server.baseUrl, token: 't', retries: 0 })

  await assert.rejects(client.listStructures(), {
    status: 502,
    name: 'HttpError',
    message: 'Bad Gateway',
  })
})

test('a success that is not JSON points at the base address', async () => {
  await using server = await startServer(() => ({ body: '<!doctype html>' }))
  const client = createClient({ baseUrl: server.baseUrl, token: 't' })

  await assert.rejects(client.listStructures(), {
    name: 'UnreadableResponse',
    message: /base addr/,
  })
})

test('an aborted call rejects with the reason of its signal', { timeout: 5000 }, async () => {
  await using server = await startServer(() => undefined)
  const client = createClient({ baseUrl: server.baseUrl, token: 't' })
  const controller = new AbortController()

  const call = client.listStructures({}, { signal: controller.signal })
  setTimeout(() => controller.abort(), 20)

  await assert.rejects(call, { name: 'AbortError' })
})

test(
  'an abort stops the wait for a token, not the token of others',
  { timeout: 5000 },
  async () => {
    const expires_in = new Date(Date.now() + 86_400_000).toISOString()
    await using server = await startServer(({ url }) =>
      url.includes('/oauth2/') ? { body: { token: 't', expires_in } } : { body: [] },
    )
    const client = createClient({
      baseUrl: server.baseUrl,
      applicationId: 'app',
      applicationSecret: 'secret',
    })
    const controller = new AbortController()

    const aborted = client.listStructures({}, { signal: controller.signal })
    const other = client.listStructures()
    controller.abort()

    await assert.rejects(aborted, { name: 'AbortError' })
    assert.deepEqual(await other, [])
    assert.equal(server.seen.filter(({ url }) => url.includes('/oauth2/')).length, 1)
  },
)

test('a fetch of your own is used', async () => {
  const asked: unknown[] = []
  const client = createClient({
    baseUrl: 'https://bridge.example/api/v1',
    token: 't',
    fetch: async (url) => {
      asked.push(url)
      return Response.json([])
    },
  })

  await client.listStructures()

  assert.deepEqual(asked, ['https://bridge.example/api/v1/structures'])
})
