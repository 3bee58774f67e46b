import type { Notification } from '../../domain/notifications/notification.ts'
import { codeOf, SendError, within, type Channel } from '../channel.ts'

/** The little that a channel needs of an MQTT client. */
export interface Publisher {
  /** Resolves once the broker has confirmed. */
  publish(topic: string, body: string): Promise<void>
  isConnected(): boolean
  /** Lets the connection go at once; what is not confirmed is never sent again. */
  end(): void
}

export type MqttOptions = {
  name: string
  /** Names in braces stand for what is told of; see `topicOf`. */
  topic: string
  timeoutSeconds: number
  connect(): Promise<Publisher>
}

/** Publishes messages as JSON with QoS 1; the broker's PUBACK is the confirmation. */
export function mqttChannel(options: MqttOptions): Channel & AsyncDisposable {
  const { name, topic, timeoutSeconds, connect } = options
  let publisher: Publisher | undefined
  let idle: NodeJS.Timeout | undefined

  const letGo = (): void => {
    clearTimeout(idle)
    publisher?.end()
    publisher = undefined
  }
  const publish = async (message: Notification, ended: AbortSignal): Promise<void> => {
    if (publisher?.isConnected() !== true) {
      letGo()
      const connected = await connect()
      // Nobody waits for it any more: the message is tried again, and not twice.
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
        // Whatever is still on its way must not be sent behind our back.
        letGo()
        if (error instanceof SendError) throw error
        signal.throwIfAborted()
        throw new SendError(`the broker cannot be reached: ${codeOf(error)}`, { cause: error })
      }
      idle = setTimeout(letGo, IDLE_MILLISECONDS).unref()
      return undefined
    },

    async [Symbol.asyncDispose]() {
      letGo()
    },
  }
}

const IDLE_MILLISECONDS = 30_000

/**
 * A topic with `{structure}`, `{source}`, `{type}`, `{level}`, `{event}` and `{alarm}` filled in;
 * `-` in messages that are about no alarm. What a topic level may not hold becomes `_`.
 */
export function topicOf(template: string, message: Notification): string {
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
