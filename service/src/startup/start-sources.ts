import type { SecureContextOptions } from 'node:tls'
import { openAsLeader } from '../background/open-as-leader.ts'
import type { MqttSettings } from '../config/mqtt-settings.ts'
import { mqttOrigin } from '../domain/rejects/reject-origin.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { MessageIngest } from '../ingest/mqtt/message-ingest.ts'
import { loadSubscription, type Subscription } from '../ingest/mqtt/subscription.ts'
import type { SourceState } from '../ingest/source-state.ts'
import { openBroker } from './open-broker.ts'
import type { SourceOptions } from './source-options.ts'
import { readPem } from './setting-files.ts'
import { subscribedMappings } from './topic-mappings.ts'

const WEEK_SECONDS = 604_800

type IngestSources = AsyncDisposable & {
  states(): SourceState[]
  /** Sets the certificate of new connections to the embedded broker. */
  setSecureContext(context: SecureContextOptions): void
}

/** Connects to the MQTT brokers of the settings and starts the embedded broker. */
export async function startSources(options: SourceOptions): Promise<IngestSources> {
  const { config, ingest, log } = options
  await using stack = new AsyncDisposableStack()
  const states: (() => SourceState)[] = []
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
  { leases, ingest: { clock }, log }: SourceOptions,
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

function connectionOptions(settings: MqttSettings) {
  const { name, url, version = 5, connections = 1, username } = settings
  return {
    name,
    url,
    version,
    clientId: settings.clientId ?? `plumbline-${name}`,
    username,
    connections,
    sharedGroup: settings.sharedGroup ?? (connections > 1 ? `plumbline-${name}` : undefined),
    sessionExpirySeconds: settings.sessionExpirySeconds ?? WEEK_SECONDS,
  }
}

async function readSecrets(settings: MqttSettings, where: string) {
  const { password, passwordFile } = settings
  if (password !== undefined && passwordFile !== undefined)
    throw new RefusedError('invalid', `${where} may have password or passwordFile, not both`)
  const read = (name: 'passwordFile' | 'ca' | 'cert' | 'key') =>
    readPem(settings[name], `${where}.${name}`)
  const fromFile = (await read('passwordFile'))?.replace(/\r?\n$/, '')
  const tls = { ca: await read('ca'), cert: await read('cert'), key: await read('key') }
  return { password: password ?? fromFile, tls }
}
