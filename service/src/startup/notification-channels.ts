import { readFile } from 'node:fs/promises'
import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Channel } from '../notifications/channel.ts'
import { connectMqtt } from '../notifications/channels/connect-mqtt.ts'
import { mailChannel } from '../notifications/channels/mail.ts'
import { mqttChannel } from '../notifications/channels/mqtt.ts'
import { webhookChannel } from '../notifications/channels/webhook.ts'

const TIMEOUT_SECONDS = 10
const PORTS = { tls: 465, starttls: 587, off: 25 } as const

export type Channels = AsyncDisposable & { readonly byName: ReadonlyMap<string, Channel> }

/** Makes the channels that the settings ask for, with the secrets out of their files. */
export async function openChannels(config: Config, now: () => number): Promise<Channels> {
  await using stack = new AsyncDisposableStack()
  const channels: Channel[] = []

  for (const [at, settings] of config['notifications.webhooks'].entries()) {
    const where = `notifications.webhooks[${at}]`
    channels.push(
      webhookChannel({
        name: settings.name,
        url: settings.url,
        secret: settings.secret ?? (await readSecret(settings.secretFile!, `${where}.secretFile`)),
        ca: await readPem(settings.ca, `${where}.ca`),
        timeoutSeconds: settings.timeoutSeconds ?? TIMEOUT_SECONDS,
        allowsPrivate: config['notifications.allowPrivateAddresses'] === 'allow',
        now,
      }),
    )
  }

  for (const [at, settings] of config['notifications.mail'].entries()) {
    const where = `notifications.mail[${at}]`
    const { tls = 'starttls' } = settings
    channels.push(
      mailChannel({
        ...settings,
        tls,
        port: settings.port ?? PORTS[tls],
        password: await readPassword(settings, where),
        ca: await readPem(settings.ca, `${where}.ca`),
        timeoutSeconds: settings.timeoutSeconds ?? TIMEOUT_SECONDS,
      }),
    )
  }

  for (const [at, settings] of config['notifications.mqtt'].entries()) {
    const where = `notifications.mqtt[${at}]`
    const { name, url, topic, version = 5, clientId, username } = settings
    const { timeoutSeconds = TIMEOUT_SECONDS } = settings
    const broker = {
      url,
      version,
      clientId,
      username,
      password: await readPassword(settings, where),
      tls: {
        ca: await readPem(settings.ca, `${where}.ca`),
        cert: await readPem(settings.cert, `${where}.cert`),
        key: await readPem(settings.key, `${where}.key`),
      },
      timeoutSeconds,
    }
    const connect = () => connectMqtt(broker)
    channels.push(stack.use(mqttChannel({ name, topic, timeoutSeconds, connect })))
  }

  const kept = stack.move()
  return {
    byName: new Map(channels.map((channel) => [channel.name, channel])),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const readPassword = async (
  { password, passwordFile }: { password?: string; passwordFile?: string },
  where: string,
): Promise<string | undefined> =>
  passwordFile === undefined ? password : readSecret(passwordFile, `${where}.passwordFile`)

/** What stands in a file, without the line break at its end. */
async function readSecret(file: string, where: string): Promise<string> {
  const secret = (await read(file, where)).replace(/\r?\n$/, '')
  if (secret === '') throw new RefusedError('invalid', `${where}: ${file} is empty`)
  return secret
}

const readPem = async (file: string | undefined, where: string): Promise<string | undefined> =>
  file === undefined ? undefined : read(file, where)

const read = (file: string, where: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RefusedError('invalid', `${where}: ${file} cannot be read: ${error.code}`)
  })
