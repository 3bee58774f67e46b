import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireSameOrigin } from './same-origin.ts'

const HOST = 'shm.example:8443'

function isLetIn(method: string, headers: Record<string, string>, more: object = {}): boolean {
  try {
    requireSameOrigin({ method, headers, host: HOST }, { publicUrl: '', needsProof: true, ...more })
    return true
  } catch {
    return false
  }
}

test('a change with the cookie comes from the same origin, and says so', () => {
  const own = `https://${HOST}`

  assert.equal(isLetIn('POST', { 'sec-fetch-site': 'same-origin' }), true)
  assert.equal(isLetIn('POST', { origin: own }), true)
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: own },
    { origin: 'null' },
    { origin: 'https://shm.example' },
    { origin: `http://${HOST}` },
    { origin: `https://${HOST}.evil.example` },
    { referer: `${own}/console/` },
  ])
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      assert.equal(isLetIn(method, headers), false, JSON.stringify(headers))
})

test('behind a proxy the public address is the origin too', () => {
  const publicUrl = 'https://shm.example/site/'

  assert.equal(isLetIn('POST', { origin: 'https://shm.example' }, { publicUrl }), true)
  assert.equal(isLetIn('POST', { origin: 'https://other.example' }, { publicUrl }), false)
})

test('a cross-site GET is let in only as a navigation', () => {
  assert.equal(isLetIn('GET', {}), true)
  assert.equal(isLetIn('GET', { 'sec-fetch-site': 'same-origin' }), true)
  assert.equal(isLetIn('GET', { 'sec-fetch-site': 'none' }), true)
  for (const site of ['cross-site', 'same-site']) {
    const headers = { 'sec-fetch-site': site }
    assert.equal(isLetIn('GET', { ...headers, 'sec-fetch-mode': 'no-cors' }), false)
    assert.equal(isLetIn('GET', { ...headers, 'sec-fetch-mode': 'cors' }), false)
    assert.equal(isLetIn('GET', { ...headers, 'sec-fetch-mode': 'navigate' }), true)
  }
})

test('without a cookie a program needs no proof, and a foreign page is refused', () => {
  const needsProof = { needsProof: false }

  assert.equal(isLetIn('POST', {}, needsProof), true)
  assert.equal(isLetIn('POST', { origin: 'https://evil.example' }, needsProof), false)
})
