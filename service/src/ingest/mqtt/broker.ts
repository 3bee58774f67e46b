import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TlsOptions,
} from 'node:tls'
import type { Aedes, AuthenticateError, Client } from 'aedes'
import type { Logger } from 'pino'
import { hashSecret } from '../../domain/secret.ts'
import type { KeyStore } from '../../storage/storage.ts'
import type { MessageIntake } from './message-intake.ts'
import type { PayloadMapping } from './payload-mapping.ts'

export type BrokerOptions = {
  host: string
  port: number
  /** Left out: in the clear. */
  tls: TlsOptions | undefined
  keys: Pick<KeyStore, 'find'>
  mappings: readonly PayloadMapping[]
  intake: Pick<MessageIntake, 'take'>
  log: Logger
  now(): number
}

export type Broker = AsyncDisposable & {
  readonly port: number
  connected(): number
  /** New connections get this certificate. */
  setSecureContext(context: SecureContextOptions): void
}

const CONNECT_MILLISECONDS = 10_000

/** What MQTT 3.1.1 answers to CONNECT. */
const SERVER_UNAVAILABLE = 3
const BAD_CREDENTIALS = 4

/**
 * A small MQTT 3.1.1 broker that clients publish to, with an ingest key as their password.
 *
 * A message is acknowledged once it is durable. Nobody can subscribe: it hands nothing on.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { host, port, tls, log } = options
  // Loading the library takes a while, and most services have no broker.
  const { Aedes } = await import('aedes')
  const aedes = await Aedes.createBroker({
    connectTimeout: CONNECT_MILLISECONDS,
    authenticate: authenticate(options),
    authorizePublish: store(options),
    authorizeSubscribe: (_client, _subscription, done) => done(null, null),
  })
  const say = (client: Client | null, error: Error) =>
    log.debug(`broker: ${client?.id ?? 'a stranger'}: ${error.message}`)
  aedes.on('clientError', say)
  aedes.on('connectionError', say)

  const secure = tls === undefined ? undefined : createTlsServer(tls, aedes.handle)
  secure?.on('tlsClientError', (error) => say(null, error))
  const server: Server = secure ?? createServer(aedes.handle)
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  log.info(`broker: listening on port ${address.port}${tls === undefined ? ', without TLS' : ''}`)
  return {
    port: address.port,
    connected: () => aedes.connectedClients,
    setSecureContext: (context) => secure?.setSecureContext(context),
    [Symbol.asyncDispose]: () => close(server, aedes),
  }
}

function authenticate({ keys, log }: BrokerOptions): Aedes['authenticate'] {
  return (_client, _username, password, done) => {
    const refuse = (returnCode: number, message: string) =>
      done(Object.assign(new Error(message), { returnCode }) as AuthenticateError, null)
    keys.find(hashSecret(password?.toString() ?? '')).then(
      (key) =>
        key === undefined
          ? refuse(BAD_CREDENTIALS, 'the password is no ingest key in use')
          : done(null, true),
      (error: Error) => {
        log.warn(`broker: nobody can be let in: ${error.message}`)
        refuse(SERVER_UNAVAILABLE, 'the service cannot look up keys')
      },
    )
  }
}

/** The broker acknowledges what this has let pass; whom it refuses it disconnects. */
function store({ mappings, intake, now }: BrokerOptions): Aedes['authorizePublish'] {
  return (_client, packet, done) => {
    const { topic } = packet
    if (!mappings.some((mapping) => mapping.means(topic)))
      return done(new Error(`publishes to ${topic}, which is no topic of the settings`))
    // Nobody could ever read it again.
    packet.retain = false
    const payload = Buffer.from(packet.payload)
    intake.take({ topic, payload, receivedAt: now() }).then(() => done(null), done)
  }
}

async function close(server: Server, aedes: Aedes): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  await new Promise<void>((resolve) => aedes.close(resolve))
  await closed
}
