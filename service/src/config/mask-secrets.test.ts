import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskSecrets } from './mask-secrets.ts'

test('passwords and secrets of connections are masked, and nothing else', () => {
  const broker = { name: 'site', url: 'mqtts://b', passwordFile: '/etc/p', subscriptions: [] }
  const mail = { name: 'mail', to: ['a@b'], user: 'me', port: 25 }

  assert.deepEqual(maskSecrets('ingest.mqtt', [{ ...broker, password: 'top-secret' }]), [
    { ...broker, password: '***' },
  ])
  assert.deepEqual(maskSecrets('notifications.mail', [{ ...mail, password: 'top-secret' }]), [
    { ...mail, password: '***' },
  ])
  assert.deepEqual(
    maskSecrets('notifications.webhooks', [{ name: 'hook', secret: 'top-secret' }]),
    [{ name: 'hook', secret: '***' }],
  )
  assert.equal(maskSecrets('http.port', 8443), 8443)
})

test('the address of a database is shown with its role and without its password', () => {
  for (const [url, shown] of [
    ['postgres://me@host:5432/db', 'postgres://me@host:5432/db'],
    ['postgres://me@[::1]:5432/db', 'postgres://me@[::1]:5432/db'],
    ['postgres://me:top-secret@host/db', 'postgres://me:***@host/db'],
    ['PostgreSQL://me:top:se@cret@host:1/db', 'PostgreSQL://me:***@host:1/db'],
    ['postgres://m@e:top-secret@host/db', 'postgres://m@e:***@host/db'],
  ])
    assert.equal(maskSecrets('storage.url', url), shown)
})

test('an address is shown without its user name and password', () => {
  assert.equal(maskSecrets('media.hls', 'https://me:top-se@cret@host/hls'), 'https://***@host/hls')
  assert.equal(maskSecrets('media.hls', 'https://host/@me'), 'https://host/@me')
})
