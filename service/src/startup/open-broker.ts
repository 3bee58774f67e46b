import type { Config } from '../config/settings.ts'
import { shareOfAddress } from '../domain/access/connection-share.ts'
import { BROKER_ORIGIN } from '../domain/rejects/reject-origin.ts'
import { startBroker, type BrokerLimits } from '../ingest/mqtt/broker.ts'
import { MessageIngest } from '../ingest/mqtt/message-ingest.ts'
import type { DataSourceState } from '../ingest/data-source-state.ts'
import { listenBy, listeningHost } from './listening.ts'
import type { DataSourceOptions } from './data-source-options.ts'
import { brokerMappings } from './topic-mappings.ts'

/** Opens the embedded broker and the ingest of its messages. */
export async function openBroker(options: DataSourceOptions) {
  const { config, ingest, tls } = options
  await using stack = new AsyncDisposableStack()
  const mappings = brokerMappings(config)
  const messages = new MessageIngest({ ...options, origin: BROKER_ORIGIN, mappings })
  const starting = startBroker({
    ...options,
    host: await listeningHost(config['ingest.broker.host']),
    port: config['ingest.broker.port'],
    tls: config['ingest.broker.tls'] === 'on' ? tls : undefined,
    limits: brokerLimits(config, options.brokerConnections),
    mappings,
    ingest: messages,
    now: () => ingest.clock.now(),
  })
  const broker = stack.use(await listenBy('ingest.broker', starting))
  stack.use(messages)
  const opened = stack.move()
  return {
    setSecureContext: broker.setSecureContext,
    state(): DataSourceState {
      const connected = broker.connected()
      const { origin } = BROKER_ORIGIN
      return { origin, connections: connected, connected, counts: messages.counts }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
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
