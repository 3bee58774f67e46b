import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TlsOptions,
} from 'node:tls'
import type { Aedes, Client, Connection } from 'aedes'
import type { Logger } from 'pino'
import type { AccessControl } from '../../domain/access/access-control.ts'
import type { IngestKeyStore } from '../../storage/storage.ts'
import { Admission, type AdmissionLimits, type Admitted } from './admission.ts'
import { ByteBudget } from './byte-budget.ts'
import { GatedConnection, MESSAGE_OVERHEAD, type GateLimits } from './gated-connection.ts'
import type { MessageIngest } from './message-ingest.ts'
import type { PayloadMapping } from './payload-mapping.ts'
import { Sessions } from './sessions.ts'

export type BrokerLimits = AdmissionLimits &
  Pick<GateLimits, 'smallPacketBytes' | 'messageBytes'> & {
    /** Messages of all connections that are not stored yet. */
    waitingBytes: number
  }

export type BrokerOptions = {
  host: string
  port: number
  /** Left out: in the clear. */
  tls: TlsOptions | undefined
  keys: Pick<IngestKeyStore, 'find'>
  limits: BrokerLimits
  access: AccessControl
  mappings: readonly PayloadMapping[]
  ingest: Pick<MessageIngest, 'take'>
  log: Logger
  now(): number
}

export type Broker = AsyncDisposable & {
  readonly port: number
  connected(): number
  /** New connections get this certificate. */
  setSecureContext(context: SecureContextOptions): void
}

/** So many messages of QoS 2 of one client may await their release. */
const QOS2_MAXIMUM = 1000

/** Messages of one connection that wait for nobody else's. */
const OWN_BYTES = 64 * 1024

/** A client that sends nothing for so long in the middle of a packet is gone. */
const STALLED_MILLISECONDS = 60_000

/** How often a silent connection is asked whether it is still there. */
const PROBE_MILLISECONDS = 60_000

/** What takes the place of a topic that is not needed any more. */
const STORED_TOPIC = 'stored'

/**
 * A small MQTT 3.1.1 broker that clients publish to, with an ingest key as their password.
 *
 * A message is acknowledged once it is durable. Nobody can subscribe: it hands nothing on.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { host, port, tls, log, limits, access } = options
  const sessions = new Sessions(options)
  const refuse = (from: string, reason: string): void =>
    access.security.record('security.mqtt-refused', { from, reason })
  const admission = new Admission(limits, refuse)

  // Loading the library takes a while, and most services have no broker.
  const { Aedes } = await import('aedes')
  const aedes = await Aedes.createBroker({
    connectTimeout: limits.loginSeconds * 1000,
    maxInflightInbound: QOS2_MAXIMUM,
    authenticate: sessions.authenticate,
    authorizePublish: store(options, sessions),
    authorizeSubscribe: (_client, _subscription, done) => done(null, null),
  })
  const say = (_client: Client | null, error: Error) =>
    log.debug(`broker: a client: ${error.message}`)
  aedes.on('clientError', say)
  aedes.on('connectionError', say)
  aedes.on('clientReady', (client) => sessions.admit(client))

  const budget = new ByteBudget(limits.waitingBytes)
  const serve = (socket: Socket, admitted: Admitted): void => {
    const { from } = admitted
    const connection = new GatedConnection(socket, {
      limits: {
        ...limits,
        waitingBytes: limits.messageBytes + MESSAGE_OVERHEAD,
        ownBytes: OWN_BYTES + MESSAGE_OVERHEAD,
      },
      budget,
      refuse: (reason) => refuse(from, reason),
    })
    socket.setTimeout(STALLED_MILLISECONDS, () => {
      if (connection.isInsidePacket) connection.destroy()
    })
    sessions.enter(aedes.handle(connection as unknown as Connection), { connection, admitted })
  }

  // The socket of TLS does not say which one it stands around.
  const around = new AsyncLocalStorage<Admitted>()
  const secure =
    tls === undefined
      ? undefined
      : createTlsServer(tls, (socket) => serve(socket, around.getStore()!))
  secure?.on('tlsClientError', (error) => say(null, error))
  const server = createServer((socket) => {
    const admitted = admission.enter(socket)
    if (admitted === undefined) return
    socket.setKeepAlive(true, PROBE_MILLISECONDS)
    if (secure === undefined) serve(socket, admitted)
    else around.run(admitted, () => secure.emit('connection', socket))
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    // Its own timers would keep the process for ever.
    await closeAedes(aedes)
    throw error
  }
  const address = server.address() as AddressInfo
  log.info(`broker: listening on port ${address.port}${tls === undefined ? ', without TLS' : ''}`)
  return {
    port: address.port,
    connected: () => aedes.connectedClients,
    setSecureContext: (context) => secure?.setSecureContext(context),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      await closeAedes(aedes)
      admission.closeAll()
      await closed
    },
  }
}

const closeAedes = (aedes: Aedes): Promise<void> => new Promise((resolve) => aedes.close(resolve))

/** The broker acknowledges what this has let pass; whom it refuses it disconnects. */
function store(
  { mappings, ingest, now }: BrokerOptions,
  sessions: Sessions,
): Aedes['authorizePublish'] {
  return (client, packet, done) => {
    const { topic } = packet
    if (client !== null && sessions.hasEnded(client)) return done(new Error('its key was revoked'))
    if (!mappings.some((mapping) => mapping.means(topic)))
      return done(new Error('it publishes to a topic that is not one of the settings'))
    const payload = Buffer.from(packet.payload)
    const { length } = packet as { length?: number }
    const stored = client === null ? undefined : sessions.connectionOf(client)?.takeOver(length)
    // Nobody could ever read it again, and what awaits its release needs no more than its number.
    packet.retain = false
    packet.payload = ''
    packet.topic = STORED_TOPIC
    ingest
      .take({ topic, payload, receivedAt: now() })
      .finally(() => stored?.())
      .then(() => done(null), done)
  }
}
