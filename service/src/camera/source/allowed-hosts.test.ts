import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hostAllowance, isHostEntry } from './allowed-hosts.ts'

const { signal } = new AbortController()

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'cam.example': ['10.0.0.7'],
  'public.example': ['203.0.113.9', '2001:db8::9'],
  'rebound.example': ['127.0.0.1', '169.254.169.254', '::1', '10.0.0.8'],
}

const pin = (hosts: readonly string[], host: string): Promise<string> =>
  hostAllowance(hosts, (name) => {
    const found = NAMES[name]
    return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found)
  })(host, signal)

const REFUSED = {
  name: 'SourceError',
  message: 'The address of the camera is not in cameras.hosts.',
}

describe('a host that is an address', () => {
  test('is in a network of the list', async () => {
    assert.equal(await pin(['10.0.0.0/8'], '10.1.2.3'), '10.1.2.3')
    assert.equal(await pin(['10.0.0.7'], '10.0.0.7'), '10.0.0.7')
    assert.equal(await pin(['127.0.0.0/8'], '127.0.0.1'), '127.0.0.1')
    assert.equal(await pin(['2001:db8::/32'], '2001:db8::7'), '2001:db8::7')
    assert.equal(await pin(['10.0.0.0/8'], '::ffff:a01:203'), '::ffff:a01:203')

    await assert.rejects(pin([], '10.0.0.7'), REFUSED)
    await assert.rejects(pin(['10.0.0.7'], '10.0.0.8'), REFUSED)
    await assert.rejects(pin(['10.0.0.0/8', '2001:db8::/32'], '::ffff:7f00:1'), REFUSED)
  })
})

describe('a name', () => {
  test('of the list has any address but those of this machine, of a link or of many', async () => {
    assert.equal(await pin(['Public.Example.'], 'public.example'), '203.0.113.9')
    assert.equal(await pin(['rebound.example'], 'rebound.example'), '10.0.0.8')
    const addresses = `127.0.0.1 127.9.9.9 0.0.0.0 169.254.169.254 224.0.0.1 255.255.255.255
      :: ::1 fe80::1 fe80::1%eth0 ff02::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1
      ::ffff:169.254.169.254 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe nonsense`
    for (const address of addresses.split(/\s+/)) {
      const lookup = () => Promise.resolve([address])
      await assert.rejects(
        hostAllowance(['a.example'], lookup)('a.example', signal),
        REFUSED,
        address,
      )
    }
  })

  test('of the list has an address of this machine if a network of the list has it', async () => {
    assert.equal(await pin(['rebound.example', '127.0.0.0/8'], 'rebound.example'), '127.0.0.1')
    assert.equal(await pin(['rebound.example', '::1'], 'rebound.example'), '::1')
  })

  test('that is not in the list gets its first address in a network of the list', async () => {
    assert.equal(await pin(['10.0.0.0/8'], 'rebound.example'), '10.0.0.8')
    assert.equal(await pin(['2001:db8::/32'], 'public.example'), '2001:db8::9')
    await assert.rejects(pin(['10.0.0.0/8'], 'public.example'), REFUSED)
    await assert.rejects(pin(['cam.example'], 'public.example'), REFUSED)
    await assert.rejects(pin(['cam.example'], 'x.cam.example'), /cannot be resolved/)
  })

  test('that is not resolved, or not in time, is named as such', async () => {
    await assert.rejects(pin(['no.example'], 'no.example'), {
      name: 'SourceError',
      message: 'The name of the camera cannot be resolved.',
    })
    const never = hostAllowance(['slow.example'], () => new Promise(() => {}))
    await assert.rejects(never('slow.example', AbortSignal.timeout(10)), {
      name: 'SourceError',
      message: 'The name of the camera was not resolved in time.',
    })
    await assert.rejects(never('slow.example', AbortSignal.abort()), /in time/)
  })

  test('of this machine is resolved by its own resolver', async () => {
    assert.match(
      await hostAllowance(['127.0.0.1', '::1'])('localhost', signal),
      /^(127\.0\.0\.1|::1)$/,
    )
  })
})

test('an entry of the list is a network, an address or a name', () => {
  for (const entry of ['10.0.0.0/8', '10.0.0.7', '2001:db8::/32', '::1', 'Cam-1.Local', 'cam.'])
    assert.equal(isHostEntry(entry), true, entry)
  for (const entry of [
    '',
    '10.0.0.0/33',
    '127.1',
    '0x7f.1',
    'http://cam',
    'cam:554',
    '*.cam',
    'a b',
  ])
    assert.equal(isHostEntry(entry), false, entry)
})
