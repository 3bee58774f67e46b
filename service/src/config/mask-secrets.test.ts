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

test('an address is shown without its user name and password', () => {
  assert.equal(maskSecrets('media.hls', 'https://me:top-se@cret@host/hls'), 'https://***@host/hls')
  assert.equal(maskSecrets('media.hls', 'https://host/@me'), 'https://host/@me')
})
