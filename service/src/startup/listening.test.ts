import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listeningHost, urlOf } from './listening.ts'

const failWith = (code: string) => () => Promise.reject(Object.assign(new Error('no'), { code }))

test('all addresses are those of IPv4 on a machine without IPv6', async () => {
  assert.equal(await listeningHost('::', failWith('EAFNOSUPPORT')), '0.0.0.0')
  assert.equal(await listeningHost('::', async () => {}), '::')
  assert.equal(await listeningHost('::1', failWith('EAFNOSUPPORT')), '::1')
  await assert.rejects(listeningHost('::', failWith('EMFILE')), { code: 'EMFILE' })
})

test('an address of IPv6 has brackets in a URL', () => {
  assert.equal(urlOf('https', '::', 8443), 'https://[::]:8443')
  assert.equal(urlOf('http', '127.0.0.1', 8444), 'http://127.0.0.1:8444')
})
