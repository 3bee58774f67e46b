import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { test } from 'node:test'
import { limitConnections } from './connection-limits.ts'

class Connection extends EventEmitter {
  readonly remoteAddress: string
  isClosed = false

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.isClosed = true
    this.emit('close')
  }
}

test('addresses of one IPv6 network of 64 bits count as one, and a proxy is recognised in IPv6 form too', () => {
  const server = new EventEmitter() as Server
  const refused: string[] = []
  const limits = { connections: 9, connectionsPerAddress: 1, proxies: ['198.51.100.0/24'] }
  limitConnections(server, limits, (from) => refused.push(from))
  const open = (address: string): Connection => {
    const connection = new Connection(address)
    server.emit('connection', connection)
    return connection
  }

  const first = open('2001:db8::1')
  const neighbour = open('2001:db8:0:0:ffff::2')
  const other = open('2001:db8:0:1::1')
  const behindProxy = ['::ffff:198.51.100.7', '198.51.100.7'].map(open)
  first.destroy()
  const later = open('2001:db8::3')

  assert.deepEqual(
    [neighbour, other, ...behindProxy, later].map(({ isClosed }) => isClosed),
    [true, false, false, false, false],
  )
  assert.deepEqual(refused, ['2001:db8:0:0:ffff::2'])
})
