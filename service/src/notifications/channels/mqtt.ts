import type { Notification } from '../../domain/notifications/notification.ts'
import { describeError, SendError, within, type Channel } from '../channel.ts'

/** The part of an MQTT client that a channel needs. */
export interface Publisher {
  /** Resolves once the broker has confirmed. */
  publish(topic: string, body: string): Promise<void>
  isConnected(): boolean
  /** Closes the connection at once; unconfirmed messages are not sent again. */
  end(): void
}

type MqttChannelOptions = {
  name: string
  /** The topic, with names in braces; see `topicOf`. */
  topic: string
  timeoutSeconds: number
  connect(): Promise<Publisher>
}

/** Publishes messages as JSON with QoS 1; they are delivered when the broker sends PUBACK. */
export function mqttChannel(options: MqttChannelOptions): Channel & AsyncDisposable {
  const { name, topic, timeoutSeconds, connect } = options
  let publisher: Publisher | undefined
  let idle: NodeJS.Timeout | undefined

  const close = (): void => {
    clearTimeout(idle)
    publisher?.end()
    publisher = undefined
  }
  const publish = async (message: Notification, ended: AbortSignal): Promise<void> => {
    if (publisher?.isConnected() !== true) {
      close()
      const connected = await connect()
      // This attempt has ended: the message is sent by the next one, and not twice.
      if (ended.aborted) return connected.end()
      publisher = connected
    }
    await publisher.publish(topicOf(topic, message), JSON.stringify(message))
  }

  return {
    name,

    async send(message, signal) {
      clearTimeout(idle)
      const ended = new AbortController()
      try {
        await within(publish(message, ended.signal), timeoutSeconds, signal)
      } catch (error) {
        ended.abort()
        // The library must not send the message later.
        close()
        if (error instanceof SendError) throw error
        signal.throwIfAborted()
        throw new SendError(`the broker cannot be reached: ${describeError(error)}`, {
          cause: error,
        })
      }
      idle = setTimeout(close, IDLE_MILLISECONDS).unref()
      return undefined
    },

    async [Symbol.asyncDispose]() {
      close()
    },
  }
}

const IDLE_MILLISECONDS = 30_000

/**
 * Fills in `{structure}`, `{source}`, `{type}`, `{level}`, `{event}` and `{alarm}`, with `-` in messages
 * without an alarm. Characters that a topic level cannot have become `_`.
 */
function topicOf(template: string, message: Notification): string {
  const { alarm, event } =
    message.kind === 'alarm' || message.kind === 'reminder'
      ? message
      : { alarm: undefined, event: message.kind }
  const values: Record<string, string | number | undefined> = {
    structure: alarm?.structure.id,
    source: alarm?.source.id,
    type: alarm?.alarmTypeCode,
    level: alarm?.level,
    alarm: alarm?.id,
    event: message.kind === 'reminder' ? 'reminder' : event,
  }
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(values[name] ?? '-').replaceAll(/[+#/\0]/g, '_'),
  )
}
