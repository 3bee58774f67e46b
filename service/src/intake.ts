import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Config } from './config/settings.ts'
import { RefusedError } from './domain/refused-error.ts'
import type { Door } from './ingest/door.ts'
import type { IntakeState } from './ingest/intake-state.ts'
import { startClientIntake } from './ingest/mqtt/client-intake.ts'
import type { MappingSettings } from './ingest/mqtt/mapping-settings.ts'
import { MessageIntake } from './ingest/mqtt/message-intake.ts'
import { compileMapping, type PayloadMapping } from './ingest/mqtt/payload-mapping.ts'
import { replayMessage } from './ingest/mqtt/replay-message.ts'
import type { Replay, Replays } from './ingest/replay.ts'
import type { RefusalStore } from './storage/storage.ts'

type MqttSettings = Config['intake.mqtt'][number]

const DAY_SECONDS = 86_400
const SESSION_DAYS = 7

export type Intake = AsyncDisposable & { states(): IntakeState[] }

/** Starts the ways in that the settings ask for, beside those over HTTP. */
export async function startIntake(options: {
  config: Config
  door: Door
  refusals: Pick<RefusalStore, 'add'>
  log: Logger
}): Promise<Intake> {
  const { config, door } = options
  await using stack = new AsyncDisposableStack()
  const states: (() => IntakeState)[] = []
  for (const [at, settings] of config['intake.mqtt'].entries()) {
    const origin = `mqtt ${settings.name}`
    const mappings = compileAll(settings.subscriptions, `intake.mqtt[${at}].subscriptions`)
    const intake = new MessageIntake({
      ...options,
      origin,
      mappings,
      keepRefusals: config['intake.keepRefusals'],
    })
    const client = await startClientIntake({
      ...connectionOptions(settings),
      ...(await readSecrets(settings, `intake.mqtt[${at}]`)),
      mappings,
      intake,
      log: options.log,
      now: door.now,
    })
    // First what is under way is stored and acknowledged, then the connections go.
    stack.use(client)
    stack.use(intake)
    const { connections = 1 } = settings
    states.push(() => ({
      origin,
      connections,
      connected: client.connected(),
      counts: intake.counts,
    }))
  }
  const kept = stack.move()
  return {
    states: () => states.map((state) => state()),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** How refusals are replayed, by the first word of their origin, with the settings of today. */
export function collectReplays(config: Config, door: Door): Replays {
  const mqtt = new Map(
    config['intake.mqtt'].map(({ name, subscriptions }, at) => [
      `mqtt ${name}`,
      compileAll(subscriptions, `intake.mqtt[${at}].subscriptions`),
    ]),
  )
  const broker = compileAll(config['intake.broker.topics'], 'intake.broker.topics')
  return new Map<string, Replay>([
    [
      'mqtt',
      async (refusal) => {
        const mappings = mqtt.get(refusal.origin)
        if (mappings !== undefined) return replayMessage(door, mappings, refusal)
        return { problem: `the settings have no broker of the name in "${refusal.origin}"` }
      },
    ],
    ['broker', (refusal) => replayMessage(door, broker, refusal)],
  ])
}

/** Compiles the topics of a setting; a refusal says which of them it is. */
function compileAll(topics: readonly MappingSettings[], where: string): PayloadMapping[] {
  return topics.map((topic, at) => {
    try {
      return compileMapping(topic)
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
    version: version === 4 ? (4 as const) : (5 as const),
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
