import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateNames } from './machine-names.ts'

test('a certificate has the names and addresses of its machine, then those of the settings', () => {
  const machine = { name: 'Gateway-7', addresses: ['192.0.2.7', '2001:db8::7'] }

  const names = certificateNames(['shm.example', '198.51.100.1', 'gateway-7'], machine)

  assert.deepEqual(
    names.map(({ type, value }) => `${type} ${value}`),
    [
      'dns localhost',
      'ip 127.0.0.1',
      'ip ::1',
      'dns gateway-7',
      'ip 192.0.2.7',
      'ip 2001:db8::7',
      'dns shm.example',
      'ip 198.51.100.1',
    ],
  )
})

test('names that clients cannot use, and addresses of a link, are left out', () => {
  const addresses = ['fe80::1', 'febf::1', '169.254.1.1', 'fe80::2%eth0', '10.0.0.1']

  const names = certificateNames([], { name: 'two words', addresses })

  assert.deepEqual(
    names.map(({ value }) => value),
    ['localhost', '127.0.0.1', '::1', '10.0.0.1'],
  )
})

test('a machine with hundreds of addresses has a certificate of some', () => {
  const addresses = Array.from({ length: 500 }, (_, at) => `10.0.${at >> 8}.${at & 255}`)

  assert.equal(certificateNames(['a.example'], { name: 'm', addresses }).length, 3 + 1 + 30 + 1)
})
