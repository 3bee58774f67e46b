import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signatureOf } from './signature.ts'

test('a signature is the HMAC of the time, a full stop and the body', () => {
  // By: printf '1772362800.{"id":"alarm-1-0"}' | openssl dgst -sha256 -hmac secret
  assert.equal(
    signatureOf('{"id":"alarm-1-0"}', 'secret', 1_772_362_800),
    't=1772362800,v1=37854c4175a8da03e04fc8824065dacf1e8d17b19fbf9c9ecff96391d1641dd8',
  )
})
