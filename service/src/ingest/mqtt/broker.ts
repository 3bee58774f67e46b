import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TlsOptions,
} from 'node:tls'
import type { Aedes, Client } from 'aedes'
import type { Logger } from 'pino'
import type { AccessControl } from '../../access/access-control.ts'
import { Budget } from '../../concurrency/budget.ts'
import { show } from '../../errors/show.ts'
import type { IngestKeyStore } from '../../storage/storage.ts'
import { Admission, type AdmissionLimits, type Admitted } from './admission.ts'
import { GatedConnection, MESSAGE_OVERHEAD, type GateLimits } from './gated-connection.ts'
import type { MessageIngest } from './message-ingest.ts'
import type { PayloadMapping } from './payload-mapping.ts'
import { Sessions } from './sessions.ts'

export type BrokerLimits = AdmissionLimits &
  Pick<GateLimits, 'smallPacketBytes' | 'messageBytes'> & {
    /** Bytes of the messages of all connections that are not stored yet. */
    waitingBytes: number
  }

type BrokerOptions = {
  host: string
  port: number
  /** Undefined: connections are not encrypted. */
  tls: TlsOptions | undefined
  keys: Pick<IngestKeyStore, 'find'>
  limits: BrokerLimits
  access: AccessControl
  mappings: readonly PayloadMapping[]
  ingest: Pick<MessageIngest, 'take'>
  log: Logger
  now(): number
}

type Broker = AsyncDisposable & {
  readonly port: number
  connected(): number
  /** Sets the certificate of new connections. */
  setSecureContext(context: SecureContextOptions): void
}

/** The most messages of QoS 2 of one client that await their release. */
const QOS2_MAXIMUM = 1000

/** Bytes of messages of one connection that need no part of the shared memory. */
const OWN_BYTES = 64 * 1024

/** After this time without bytes in the middle of a packet the connection is closed. */
const STALLED_MILLISECONDS = 60_000

/** The interval of TCP keep-alive probes on an idle connection. */
const PROBE_MILLISECONDS = 60_000

/** Replaces the topic of a stored message, to free its memory. */
const STORED_TOPIC = 'stored'

/**
 * A small MQTT 3.1.1 broker that clients publish to, with an ingest key as their password.
 *
 * It acknowledges a message once it is durable. It refuses subscriptions and forwards nothing.
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
    authorizePublish: storeMessages(options, sessions),
    authorizeSubscribe: (_client, _subscription, done) => done(null, null),
  })
  const logError = (_client: Client | null, error: Error) =>
    log.debug(`broker: a connection failed: ${error.message}`)
  aedes.on('clientError', logError)
  aedes.on('connectionError', logError)
  aedes.on('clientReady', (client) => sessions.admit(client))

  const budget = new Budget(limits.waitingBytes)
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
    sessions.add(aedes.handle(connection), { connection, admitted })
  }

  // A TLS socket has no reference to the TCP socket that it wraps.
  const accepting = new AsyncLocalStorage<Admitted>()
  const secure =
    tls === undefined
      ? undefined
      : createTlsServer(tls, (socket) => {
          const admitted = accepting.getStore()
          if (admitted === undefined) socket.destroy()
          else serve(socket, admitted)
        })
  secure?.on('tlsClientError', (error) => logError(null, error))
  const server = createServer((socket) => {
    const admitted = admission.accept(socket)
    if (admitted === undefined) return
    socket.setKeepAlive(true, PROBE_MILLISECONDS)
    if (secure === undefined) serve(socket, admitted)
    else accepting.run(admitted, () => secure.emit('connection', socket))
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    // Otherwise its timers keep the process alive.
    await closeAedes(aedes)
    throw error
  }
  const boundPort = boundPortOf(server)
  log.info(`broker: listening on port ${boundPort}${tls === undefined ? ', without TLS' : ''}`)
  return {
    port: boundPort,
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

/** The port of a listening server, also where the settings leave its choice to the system. */
function boundPortOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the broker has no port')
  return address.port
}

/** The broker acknowledges a message when `done` is called, and disconnects on an error. */
function storeMessages(
  { mappings, ingest, now, log }: BrokerOptions,
  sessions: Sessions,
): Aedes['authorizePublish'] {
  return (client, packet, done) => {
    const { topic } = packet
    if (client === null) {
      // No key says what it may write to.
      log.warn(`broker: a will is not stored, since its client is gone (topic ${show(topic)})`)
      return done(null)
    }
    if (sessions.hasEnded(client)) return done(new Error('its key was revoked'))
    if (!mappings.some((mapping) => mapping.matches(topic)))
      return done(new Error('the settings have no such topic'))
    const targets = sessions.targetsOf(client)
    if (targets === undefined) return done(new Error('it has not logged in'))
    const payload = Buffer.from(packet.payload)
    const length = lengthOf(packet)
    const release = sessions.connectionOf(client)?.takeOver(length)
    // The broker keeps the packet of QoS 2 until its release, and needs only its number for that.
    packet.retain = false
    packet.payload = ''
    packet.topic = STORED_TOPIC
    ingest
      .take({ topic, payload, receivedAt: now(), targets })
      .finally(() => release?.())
      .then(() => done(null), done)
  }
}

/** The length that a packet announced: the library leaves it out of its types, and of a will. */
const lengthOf = (packet: object): number | undefined =>
  'length' in packet && typeof packet.length === 'number' ? packet.length : undefined
