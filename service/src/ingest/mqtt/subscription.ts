import { once } from 'node:events'
import type { IClientOptions, MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import type { MessageIngest } from './message-ingest.ts'
import { OrderedAcks, pubacks } from './ordered-acks.ts'
import type { PayloadMapping } from './payload-mapping.ts'

export type SubscriptionOptions = {
  name: string
  url: string
  version: 4 | 5
  clientId: string
  username?: string | undefined
  password?: string | undefined
  tls: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined }
  /** Connections share the messages of this group; left out: there is one connection. */
  sharedGroup?: string | undefined
  connections: number
  /** How long the broker keeps what comes while we are away; MQTT 5 only. */
  sessionExpirySeconds: number
  mappings: readonly PayloadMapping[]
  ingest: Pick<MessageIngest, 'take'>
  log: Logger
  now(): number
}

export type Subscription = AsyncDisposable & {
  /** How many of its connections stand and are subscribed. */
  connected(): number
}

/** So many messages of a connection may wait for their commit; then it is read no further. */
const WINDOW = 1000

const FIRST_RECONNECT_MILLISECONDS = 500
const LONGEST_RECONNECT_MILLISECONDS = 30_000
const CLOSE_MILLISECONDS = 2000

/**
 * Makes ready what receives messages of a broker; each is acknowledged once it is durable.
 *
 * What it gives connects, again and again if need be: one at a time, for they have the same ids.
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
    // We subscribe ourselves, whenever there is a connection.
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
 * Takes every message as soon as it is there and acknowledges it by itself once it is stored: the
 * library would handle one at a time, and would send an acknowledgement of a lost connection on the
 * next one, where its number may mean another message.
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
    // With an error the library goes on to the next message and sends nothing.
    const goOn = () => callback(new Error('acknowledged later'))
    const stored = packet.qos === 0 ? () => {} : acks.expect(packet.messageId!)
    const message = {
      topic: packet.topic,
      payload: packet.payload as Uint8Array,
      receivedAt: now(),
    }
    const isOld = packet.retain && mappings.find((one) => one.means(packet.topic))?.hasArrivalTime
    const isFull = acks.size >= WINDOW || packet.qos === 0
    // When a retained message was measured nobody knows: it is not now.
    const taken = isOld ? Promise.resolve() : ingest.take(message)
    taken
      .then(stored, (error: Error) =>
        log.debug(`mqtt ${name}: left to the broker: ${error.message}`),
      )
      .finally(() => {
        if (isFull) goOn()
      })
    if (!isFull) goOn()
  }
}

function watch(
  client: MqttClient,
  { name, version, mappings, sharedGroup, log }: SubscriptionOptions,
  subscribed: Set<MqttClient>,
): void {
  const share = sharedGroup === undefined ? '' : `$share/${sharedGroup}/`
  // Of a session that goes on, retained messages are known already; 3.1.1 cannot say so.
  const how = version === 5 ? { qos: 1 as const, rh: 1 } : { qos: 1 as const }
  const topics = Object.fromEntries(mappings.map(({ filter }) => [share + filter, how]))

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
  client.on('error', (error) =>
    log.warn(`mqtt ${name}: ${error.message || (error as { code?: string }).code}`),
  )
  client.on('close', () => {
    if (subscribed.delete(client) && !client.disconnecting)
      log.warn(`mqtt ${name}: the connection is lost`)
    const { reconnectPeriod = FIRST_RECONNECT_MILLISECONDS } = client.options
    client.options.reconnectPeriod = Math.min(reconnectPeriod * 2, LONGEST_RECONNECT_MILLISECONDS)
  })
}

/** Closes kindly; the broker keeps the session. */
async function end(client: MqttClient): Promise<void> {
  const ended = client.endAsync().catch(() => {})
  const late = once(AbortSignal.timeout(CLOSE_MILLISECONDS), 'abort')
  await Promise.race([ended, late])
  client.stream?.destroy()
}
