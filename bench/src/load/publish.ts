import { once } from 'node:events'
import { connect } from 'node:net'

/** CONNECT of MQTT 3.1.1 with a clean session, no keep-alive and the client id `load`. */
const CONNECT = Buffer.from([
  0x10,
  16,
  0,
  4,
  ...Buffer.from('MQTT'),
  4,
  2,
  0,
  0,
  0,
  4,
  ...Buffer.from('load'),
])
const CONNACK_LENGTH = 4
const PUBACK_LENGTH = 4
const PACKET_IDS = 0xffff
/** The most unacknowledged messages: fewer than there are packet ids. */
const WINDOW = 2000

export type Publishing = { topic: string; payload: string }

/** Publishes messages with QoS 1; resolves when the broker has acknowledged all of them. */
export async function publishAll(port: number, messages: readonly Publishing[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.write(CONNECT)
  let sent = 0
  let received = 0
  const goOn = (): void => {
    const acknowledged = Math.floor((received - CONNACK_LENGTH) / PUBACK_LENGTH)
    const until = Math.min(messages.length, acknowledged + WINDOW)
    if (sent === until) return
    const packets = messages.slice(sent, until).map((one, at) => publishPacket(one, sent + at))
    sent = until
    socket.write(Buffer.concat(packets))
  }
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received === CONNACK_LENGTH + PUBACK_LENGTH * messages.length) socket.destroy()
    else if (received >= CONNACK_LENGTH) goOn()
  })
  await once(socket, 'close')
  if (sent < messages.length) throw new Error('the broker closed the connection')
}

function publishPacket({ topic, payload }: Publishing, number: number): Buffer {
  const body = Buffer.alloc(2 + Buffer.byteLength(topic) + 2 + Buffer.byteLength(payload))
  let at = body.writeUInt16BE(Buffer.byteLength(topic), 0)
  at += body.write(topic, at)
  at = body.writeUInt16BE((number % PACKET_IDS) + 1, at)
  body.write(payload, at)
  return Buffer.concat([Buffer.from([0x32, ...lengthBytes(body.length)]), body])
}

/** A length in MQTT: seven bits a byte, the lowest first. */
function lengthBytes(length: number): number[] {
  const low = length & 0x7f
  return length < 0x80 ? [low] : [low | 0x80, ...lengthBytes(length >> 7)]
}
