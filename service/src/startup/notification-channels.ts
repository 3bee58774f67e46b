import type { Config } from '../config/settings.ts'
import type { Channel } from '../notifications/channel.ts'
import { connectMqtt } from '../notifications/channels/connect-mqtt.ts'
import { mailChannel } from '../notifications/channels/mail.ts'
import { mqttChannel } from '../notifications/channels/mqtt.ts'
import { webhookChannel } from '../notifications/channels/webhook.ts'
import { readPassword, readPem, readSecretFile } from './setting-files.ts'

const TIMEOUT_SECONDS = 10
const PORTS = { tls: 465, starttls: 587, off: 25 } as const

type OpenChannels = AsyncDisposable & { readonly byName: ReadonlyMap<string, Channel> }

/** Opens the notification channels of the settings, with the secrets from their files. */
export async function openChannels(config: Config, now: () => number): Promise<OpenChannels> {
  await using stack = new AsyncDisposableStack()
  const channels: Channel[] = []

  for (const [at, settings] of config['notifications.webhooks'].entries()) {
    const where = `notifications.webhooks[${at}]`
    channels.push(
      webhookChannel({
        name: settings.name,
        url: settings.url,
        secret:
          settings.secret ??
          (await readSecretFile(settings.secretFile ?? '', `${where}.secretFile`)),
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
        publicUrl: config['http.publicUrl'],
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

  const opened = stack.move()
  return {
    byName: new Map(channels.map((channel) => [channel.name, channel])),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
