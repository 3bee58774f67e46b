import { readFile } from 'node:fs/promises'
import type { SecureContextOptions, TlsOptions } from 'node:tls'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { shareOfAddress } from '../domain/access/connection-share.ts'
import type { MqttSettings, TopicSettings } from '../config/mqtt-settings.ts'
import type { Config } from '../config/settings.ts'
import type { AccessControl } from '../domain/access/access-control.ts'
import { listenBy } from './listening.ts'
import { BROKER_ORIGIN, mqttOrigin } from '../domain/rejects/reject-origin.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { RecordIngest } from '../ingest/record-ingest.ts'
import type { WatchedFolders } from '../ingest/files/watch-folders.ts'
import { replayRow, type ReplayParts } from '../ingest/files/replay-row.ts'
import { replayLine } from '../ingest/line-protocol/ingest-points.ts'
import { compilePointMappings } from '../ingest/line-protocol/point-mapping.ts'
import type { SourceState } from '../ingest/source-state.ts'
import { startBroker, type BrokerLimits } from '../ingest/mqtt/broker.ts'
import { loadSubscription, type Subscription } from '../ingest/mqtt/subscription.ts'
import { MessageIngest } from '../ingest/mqtt/message-ingest.ts'
import { compileMapping, type PayloadMapping } from '../ingest/mqtt/payload-mapping.ts'
import { replayMessage } from '../ingest/mqtt/replay-message.ts'
import { openAsLeader } from '../background/open-as-leader.ts'
import type { Rejects } from '../ingest/rejects/rejects.ts'
import type { Replays } from '../ingest/rejects/replay.ts'
import type { JsonLimits } from '../json/json-scan.ts'
import type { RejectLimits, IngestKeyStore, LeaseStore, Storage } from '../storage/storage.ts'

const DAY_SECONDS = 86_400
const SESSION_DAYS = 7

export type IngestSources = AsyncDisposable & {
  states(): SourceState[]
  /** Where the embedded broker listens; undefined without one. */
  readonly brokerPort: number | undefined
  /** New connections to the broker get this certificate. */
  setSecureContext(context: SecureContextOptions): void
}

/** Starts the ways in that the settings ask for, beside those over HTTP. */
export async function startIngest(options: {
  config: Config
  ingest: RecordIngest
  rejects: Pick<Rejects, 'add'>
  keys: Pick<IngestKeyStore, 'find'>
  leases: LeaseStore
  access: AccessControl
  /** What the broker speaks TLS with. */
  tls: TlsOptions
  /** How many the broker holds. */
  brokerConnections: number
  log: Logger
}): Promise<IngestSources> {
  const { config, ingest: records } = options
  await using stack = new AsyncDisposableStack()
  const states: (() => SourceState)[] = []
  for (const [at, settings] of config['ingest.mqtt'].entries()) {
    const origin = mqttOrigin(settings.name)
    const mappings = compileAll(config, settings.subscriptions, `ingest.mqtt[${at}].subscriptions`)
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
    // First what is under way is stored and acknowledged, then the connections go.
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

type Options = Parameters<typeof startIngest>[0]

/** Of the messages of a subscription that is not shared each instance would get every one. */
const connectAsLeader = (
  { leases, ingest: { clock }, log }: Options,
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

async function openBroker(options: Options, stack: AsyncDisposableStack) {
  const { config, ingest: records, tls } = options
  const origin = BROKER_ORIGIN
  const mappings = compileAll(config, config['ingest.broker.topics'], 'ingest.broker.topics')
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

/** What JSON of others may be, in bodies and in messages. */
export const jsonLimits = (config: Config): JsonLimits => ({
  depth: config['http.maxJsonDepth'],
  members: config['http.maxJsonMembers'],
})

/** How many rejected records the settings keep. */
export const keepOf = (config: Config): RejectLimits => ({
  records: config['ingest.keepRejects'],
  sourceBytes: config['ingest.keepRejectedMegabytesPerSource'] * 2 ** 20,
  bytes: config['ingest.keepRejectedMegabytes'] * 2 ** 20,
})

/** How rejects are replayed with the current settings, by their kind. */
export function collectReplays(config: Config, { ingest, data }: ReplayParts): Replays {
  const mqtt = new Map(
    config['ingest.mqtt'].map(({ name, subscriptions }, at) => [
      mqttOrigin(name).origin,
      compileAll(config, subscriptions, `ingest.mqtt[${at}].subscriptions`),
    ]),
  )
  const broker = compileAll(config, config['ingest.broker.topics'], 'ingest.broker.topics')
  const readPoint = compilePointMappings(config['ingest.lineProtocol'])
  return {
    async mqtt(reject) {
      const mappings = mqtt.get(reject.origin)
      if (mappings !== undefined) return replayMessage(ingest, mappings, reject)
      return { problem: `the settings have no broker of the name in "${reject.origin}"` }
    },
    file: (reject) => replayRow({ ingest, data }, reject),
    influx: (reject) => replayLine(ingest, readPoint, reject),
    broker: (reject) => replayMessage(ingest, broker, reject),
  }
}

/** Compiles the topics of a setting; a refusal says which of them it is. */
function compileAll(
  config: Config,
  topics: readonly TopicSettings[],
  where: string,
): PayloadMapping[] {
  const limits = jsonLimits(config)
  return topics.map((topic, at) => {
    try {
      return compileMapping(topic, limits)
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      throw new RefusedError('invalid', `${where}[${at}]: ${error.message}`)
    }
  })
}

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
    sessionExpirySeconds: settings.sessionExpirySeconds ?? SESSION_DAYS * DAY_SECONDS,
  }
}

async function readSecrets(settings: MqttSettings, where: string) {
  const { password, passwordFile } = settings
  if (password !== undefined && passwordFile !== undefined)
    throw new RefusedError('invalid', `${where} may have password or passwordFile, not both`)
  const read = async (
    name: 'passwordFile' | 'ca' | 'cert' | 'key',
  ): Promise<string | undefined> => {
    const file = settings[name]
    if (file === undefined) return undefined
    return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new RefusedError('invalid', `${where}.${name}: ${file} cannot be read: ${error.code}`)
    })
  }
  const fromFile = (await read('passwordFile'))?.replace(/\r?\n$/, '')
  const tls = { ca: await read('ca'), cert: await read('cert'), key: await read('key') }
  return { password: password ?? fromFile, tls }
}

type WatchingOptions = {
  config: Config
  dataFolder: string
  ingest: RecordIngest
  storage: Storage
  rejects: Pick<Rejects, 'add'>
  log: Logger
  expiryMilliseconds: number | undefined
  isSuspended(): boolean
}

/** Reads on the files of watched folders; their code is loaded when there are any. */
export async function startWatching({
  config,
  dataFolder,
  ingest,
  storage,
  rejects,
  log,
  expiryMilliseconds,
  isSuspended,
}: WatchingOptions): Promise<WatchedFolders> {
  const folders = config['ingest.folders']
  if (folders.length === 0) return { states: () => [], async [Symbol.asyncDispose]() {} }
  const { watchFolders } = await import('../ingest/files/watch-folders.ts')
  return watchFolders({
    folders: folders.map(({ pattern = '*', pollSeconds = 10, ...folder }) => ({
      pattern,
      pollSeconds,
      path: resolve(dataFolder, folder.path),
      mapping: resolve(dataFolder, folder.mapping),
    })),
    ingest,
    storage,
    rejects,
    log,
    expiryMilliseconds,
    keepPositionsMilliseconds: config['ingest.keepPositionsDays'] * DAY_SECONDS * 1000,
    isSuspended,
    fileIdleMilliseconds: config['ingest.fileIdleSeconds'] * 1000,
    mostReservedBytes: config['ingest.maxReservedMegabytes'] * 2 ** 20,
  })
}
