import type { SecureContextOptions } from 'node:tls'
import { openAsLeader } from '../background/open-as-leader.ts'
import { mqttOrigin } from '../domain/rejects/reject-origin.ts'
import { MessageIngest } from '../ingest/mqtt/message-ingest.ts'
import { loadSubscription, type Subscription } from '../ingest/mqtt/subscription.ts'
import type { DataSourceState } from '../ingest/data-source-state.ts'
import { connectionOptions, readSecrets } from './mqtt-connection.ts'
import { openBroker } from './open-broker.ts'
import type { DataSourceOptions } from './data-source-options.ts'
import { subscribedMappings } from './topic-mappings.ts'

type DataSources = AsyncDisposable & {
  states(): DataSourceState[]
  /** Sets the certificate of new connections to the embedded broker. */
  setSecureContext(context: SecureContextOptions): void
}

/** Connects to the MQTT brokers of the settings and starts the embedded broker. */
export async function startDataSources(options: DataSourceOptions): Promise<DataSources> {
  const { config, ingest, log } = options
  await using stack = new AsyncDisposableStack()
  const states: (() => DataSourceState)[] = []
  for (const [at, settings] of config['ingest.mqtt'].entries()) {
    const { origin } = mqttOrigin(settings.name)
    const mappings = subscribedMappings(config, at)
    const messages = new MessageIngest({ ...options, origin: mqttOrigin(settings.name), mappings })
    const connection = connectionOptions(settings)
    const connect = await loadSubscription({
      ...connection,
      ...(await readSecrets(settings, `ingest.mqtt[${at}]`)),
      mappings,
      ingest: messages,
      log,
      now: () => ingest.clock.now(),
    })
    const isShared = connection.sharedGroup !== undefined
    const client = isShared
      ? openAlways(connect())
      : await connectAsLeader(options, connection.name, connect)
    // Closed in reverse order: messages under way are stored and acknowledged, then it disconnects.
    stack.use(client)
    stack.use(messages)
    states.push(() => ({
      origin,
      connections: client.opened === undefined ? 0 : connection.connections,
      connected: client.opened?.connected() ?? 0,
      counts: messages.counts,
    }))
  }
  const hasBroker = config['ingest.broker.port'] !== 0
  const broker = hasBroker ? stack.use(await openBroker(options)) : undefined
  if (broker !== undefined) states.push(broker.state)
  const opened = stack.move()
  return {
    setSecureContext: (context) => broker?.setSecureContext(context),
    states: () => states.map((state) => state()),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Connects in one instance only, since each connection receives all messages. */
const connectAsLeader = (
  { leases, ingest: { clock }, log }: DataSourceOptions,
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
