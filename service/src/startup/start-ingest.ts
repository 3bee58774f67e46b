import type { SecureContextOptions, TlsOptions } from 'node:tls'
import type { Logger } from 'pino'
import { openAsLeader } from '../background/open-as-leader.ts'
import type { Config } from '../config/settings.ts'
import type { AccessControl } from '../domain/access/access-control.ts'
import { shareOfAddress } from '../domain/access/connection-share.ts'
import { BROKER_ORIGIN, mqttOrigin } from '../domain/rejects/reject-origin.ts'
import { startBroker, type BrokerLimits } from '../ingest/mqtt/broker.ts'
import { MessageIngest } from '../ingest/mqtt/message-ingest.ts'
import { loadSubscription, type Subscription } from '../ingest/mqtt/subscription.ts'
import type { RecordIngest } from '../ingest/record-ingest.ts'
import type { RejectWriter } from '../ingest/rejects/reject-writer.ts'
import type { SourceState } from '../ingest/source-state.ts'
import type { IngestKeyStore, LeaseStore } from '../storage/storage.ts'
import { compileTopics } from './compile-topics.ts'
import { listenBy } from './listening.ts'
import { connectionOptions, readSecrets } from './mqtt-connection.ts'

export type IngestSources = AsyncDisposable & {
  states(): SourceState[]
  /** The port of the embedded broker; undefined without one. */
  readonly brokerPort: number | undefined
  /** Sets the certificate of new connections to the broker. */
  setSecureContext(context: SecureContextOptions): void
}

type StartIngestOptions = {
  config: Config
  ingest: RecordIngest
  rejects: Pick<RejectWriter, 'add'>
  keys: Pick<IngestKeyStore, 'find'>
  leases: LeaseStore
  access: AccessControl
  /** The TLS options of the broker. */
  tls: TlsOptions
  /** The most connections of the broker. */
  brokerConnections: number
  log: Logger
}

/** Starts the data sources of the settings: MQTT subscriptions and the embedded broker. */
export async function startIngest(options: StartIngestOptions): Promise<IngestSources> {
  const { config, ingest: records } = options
  await using stack = new AsyncDisposableStack()
  const states: (() => SourceState)[] = []
  for (const [at, settings] of config['ingest.mqtt'].entries()) {
    const origin = mqttOrigin(settings.name)
    const mappings = compileTopics(
      config,
      settings.subscriptions,
      `ingest.mqtt[${at}].subscriptions`,
    )
    const messages = new MessageIngest({
      ...options,
      origin,
      mappings,
    })
    const connection = connectionOptions(settings)
    const connect = await loadSubscription({
      ...connection,
      ...(await readSecrets(settings, `ingest.mqtt[${at}]`)),
      mappings,
      ingest: messages,
      log: options.log,
      now: () => records.clock.now(),
    })
    const isShared = connection.sharedGroup !== undefined
    const client = isShared
      ? openAlways(connect())
      : await connectAsLeader(options, connection.name, connect)
    // Closing stores and acknowledges messages under way before it ends the connections.
    stack.use(client)
    stack.use(messages)
    states.push(() => ({
      origin: origin.origin,
      connections: client.opened === undefined ? 0 : connection.connections,
      connected: client.opened?.connected() ?? 0,
      counts: messages.counts,
    }))
  }
  const broker = config['ingest.broker.port'] === 0 ? undefined : await openBroker(options, stack)
  if (broker !== undefined) states.push(broker.state)
  const kept = stack.move()
  return {
    brokerPort: broker?.port,
    setSecureContext: (context) => broker?.setSecureContext(context),
    states: () => states.map((state) => state()),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** A subscription that is not shared: only the leader connects, since each instance would get all messages. */
const connectAsLeader = (
  { leases, ingest: { clock }, log }: StartIngestOptions,
  name: string,
  connect: () => Subscription,
) =>
  openAsLeader({
    name: `mqtt ${name}`,
    leases,
    open: connect,
    onOther: () => log.info(`mqtt ${name}: another instance receives the messages`),
    log,
    now: () => clock.now(),
  })

const openAlways = (opened: Subscription) => ({
  opened,
  [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
})

async function openBroker(options: StartIngestOptions, stack: AsyncDisposableStack) {
  const { config, ingest: records, tls } = options
  const origin = BROKER_ORIGIN
  const mappings = compileTopics(config, config['ingest.broker.topics'], 'ingest.broker.topics')
  const messages = new MessageIngest({
    ...options,
    origin,
    mappings,
  })
  const starting = startBroker({
    ...options,
    host: config['ingest.broker.host'],
    port: config['ingest.broker.port'],
    tls: config['ingest.broker.tls'] === 'on' ? tls : undefined,
    limits: brokerLimits(config, options.brokerConnections),
    mappings,
    ingest: messages,
    now: () => records.clock.now(),
  })
  const broker = await listenBy('ingest.broker', starting)
  stack.use(broker)
  stack.use(messages)
  const state = (): SourceState => {
    const connected = broker.connected()
    return { origin: origin.origin, connections: connected, connected, counts: messages.counts }
  }
  return { ...broker, state }
}

const brokerLimits = (config: Config, connections: number): BrokerLimits => ({
  smallPacketBytes: config['ingest.broker.maxLoginKilobytes'] * 1024,
  messageBytes: config['ingest.broker.maxMessageKilobytes'] * 1024,
  waitingBytes: config['ingest.broker.maxWaitingMegabytes'] * 2 ** 20,
  connections,
  connectionsPerAddress: shareOfAddress(
    config['ingest.broker.maxConnectionsPerAddress'],
    connections,
    config['ingest.broker.maxConnections'],
  ),
  loginSeconds: config['ingest.broker.loginSeconds'],
})
