import { once } from 'node:events'
import type { IClientOptions, MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import { codeOf } from '../../errors/thrown.ts'
import type { MessageIngest } from './message-ingest.ts'
import { OrderedAcks, pubacks } from './ordered-acks.ts'
import type { PayloadMapping } from './payload-mapping.ts'

type SubscriptionOptions = {
  name: string
  url: string
  version: 4 | 5
  clientId: string
  username?: string | undefined
  password?: string | undefined
  tls: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined }
  /** The group of the shared subscription; left out: one connection, not shared. */
  sharedGroup?: string | undefined
  connections: number
  /** How long the broker keeps messages while the service is not connected; MQTT 5 only. */
  sessionExpirySeconds: number
  mappings: readonly PayloadMapping[]
  ingest: Pick<MessageIngest, 'take'>
  log: Logger
  now(): number
}

export type Subscription = AsyncDisposable & {
  /** The number of connections that are subscribed. */
  connected(): number
}

/** The most messages of a connection that wait for their commit; beyond it reading pauses. */
const WINDOW = 1000

const FIRST_RECONNECT_MILLISECONDS = 500
const LONGEST_RECONNECT_MILLISECONDS = 30_000
const CLOSE_MILLISECONDS = 2000

/**
 * Loads the MQTT library; the returned function subscribes, and acknowledges each message once it is
 * durable. Only one subscription may be open at a time, since they have the same client ids.
 */
export async function loadSubscription(options: SubscriptionOptions): Promise<() => Subscription> {
  // Loading the library takes a while, and most services have no broker.
  const { connect } = await import('mqtt')
  return () => startSubscription(connect, options)
}

function startSubscription(connect: Connect, options: SubscriptionOptions): Subscription {
  const subscribed = new Set<MqttClient>()
  const clients = Array.from({ length: options.connections }, (_, at) => {
    const suffix = options.connections === 1 ? '' : `-${at + 1}`
    const client = connect(options.url, clientOptions(options, options.clientId + suffix))
    receive(client, options)
    watch(client, options, subscribed)
    return client
  })
  return {
    connected: () => subscribed.size,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map(end))
    },
  }
}

type Connect = (url: string, options: IClientOptions) => MqttClient

function clientOptions(options: SubscriptionOptions, clientId: string): IClientOptions {
  const { version, username, password, tls, sessionExpirySeconds } = options
  return {
    protocolVersion: version,
    clientId,
    clean: false,
    // `watch` subscribes after each connection.
    resubscribe: false,
    reconnectPeriod: FIRST_RECONNECT_MILLISECONDS,
    reconnectOnConnackError: true,
    queueQoSZero: false,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(version === 5
      ? { properties: { sessionExpiryInterval: sessionExpirySeconds, receiveMaximum: WINDOW } }
      : {}),
  }
}

/**
 * Takes every message at once, and acknowledges it once it is stored. The library by itself handles
 * one message at a time, and sends the acknowledgement of a lost connection on the next one, where
 * its number may belong to another message.
 */
function receive(
  client: MqttClient,
  { ingest, mappings, now, log, name }: SubscriptionOptions,
): void {
  let stream: MqttClient['stream'] | undefined
  let acks = new OrderedAcks(() => {})
  client.handleMessage = (packet, callback) => {
    if (client.stream !== stream) {
      stream = client.stream
      const own = stream
      acks = new OrderedAcks((messageIds) => {
        if (own === client.stream && client.connected) own.write(pubacks(messageIds))
      })
    }
    // With an error the library continues with the next message and sends nothing.
    const readNext = () => callback(new Error('acknowledged later'))
    const { qos, messageId, topic, payload } = packet
    const acknowledge = qos === 0 || messageId === undefined ? () => {} : acks.expect(messageId)
    const message = {
      topic,
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
      receivedAt: now(),
    }
    const isOld = packet.retain && mappings.find((one) => one.matches(topic))?.hasArrivalTime
    const isFull = acks.size >= WINDOW || qos === 0
    // The time at which a retained message was measured is unknown: its arrival is not it.
    const taken = isOld ? Promise.resolve() : ingest.take(message)
    taken
      .then(acknowledge, (error: Error) =>
        log.debug(`mqtt ${name}: a message stays with the broker: ${error.message}`),
      )
      .finally(() => {
        if (isFull) readNext()
      })
    if (!isFull) readNext()
  }
}

function watch(
  client: MqttClient,
  { name, version, mappings, sharedGroup, log }: SubscriptionOptions,
  subscribed: Set<MqttClient>,
): void {
  const share = sharedGroup === undefined ? '' : `$share/${sharedGroup}/`
  // A resumed session has had the retained messages already; MQTT 3.1.1 has no option for that.
  const options = version === 5 ? { qos: 1 as const, rh: 1 } : { qos: 1 as const }
  const topics = Object.fromEntries(mappings.map(({ filter }) => [share + filter, options]))

  client.on('connect', () => {
    client.options.reconnectPeriod = FIRST_RECONNECT_MILLISECONDS
    client.subscribe(topics, (error, granted) => {
      const refused = (granted ?? []).filter(({ qos }) => qos > 2).map(({ topic }) => topic)
      if (error === null && refused.length === 0) {
        subscribed.add(client)
        log.info(`mqtt ${name}: connected, and subscribed to ${mappings.length} topics`)
      } else
        log.error(
          `mqtt ${name}: the broker refuses the subscription to ${refused.join(', ') || error?.message}`,
        )
    })
  })
  client.on('error', (error) => log.warn(`mqtt ${name}: ${error.message || codeOf(error)}`))
  client.on('close', () => {
    if (subscribed.delete(client) && !client.disconnecting)
      log.warn(`mqtt ${name}: the connection is lost`)
    const { reconnectPeriod = FIRST_RECONNECT_MILLISECONDS } = client.options
    client.options.reconnectPeriod = Math.min(reconnectPeriod * 2, LONGEST_RECONNECT_MILLISECONDS)
  })
}

/** Disconnects in order, within a time limit; the broker keeps the session. */
async function end(client: MqttClient): Promise<void> {
  const ended = client.endAsync().catch(() => {})
  const late = once(AbortSignal.timeout(CLOSE_MILLISECONDS), 'abort')
  await Promise.race([ended, late])
  client.stream?.destroy()
}
