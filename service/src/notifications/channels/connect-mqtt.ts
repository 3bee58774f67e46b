import { SendError } from '../channel.ts'
import type { Publisher } from './mqtt.ts'

type PublisherOptions = {
  url: string
  version: 4 | 5
  clientId?: string | undefined
  username?: string | undefined
  password?: string | undefined
  tls: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined }
  timeoutSeconds: number
}

/** Connects once, with a session that ends with the connection. */
export async function connectMqtt(options: PublisherOptions): Promise<Publisher> {
  const { url, version, clientId, username, password, tls, timeoutSeconds } = options
  // Loading the library takes a while, and most services have no broker.
  const { connect } = await import('mqtt')
  const given = Object.entries({ clientId, username, password, ...tls })
  const client = connect(url, {
    protocolVersion: version,
    clean: true,
    reconnectPeriod: 0,
    connectTimeout: timeoutSeconds * 1000,
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  })
  const ready = Promise.withResolvers<void>()
  client.once('connect', () => ready.resolve())
  client.on('error', (error) => ready.reject(explain(error)))
  client.once('close', () => ready.reject(new SendError('the broker closed the connection')))
  try {
    await ready.promise
  } catch (error) {
    client.end(true)
    throw error
  }
  return {
    publish: (topic, body) =>
      new Promise((resolve, reject) => {
        const closed = (): void => reject(new SendError('the broker closed the connection'))
        client.once('close', closed)
        client.publish(topic, body, { qos: 1 }, (error) => {
          client.off('close', closed)
          if (error) reject(explain(error))
          else resolve()
        })
      }),
    isConnected: () => client.connected,
    end: () => void client.end(true),
  }
}

/** A numeric code is a reason of the broker, which the library has put into words. */
function explain(error: Error): Error {
  const isOfBroker = 'code' in error && typeof error.code === 'number'
  return isOfBroker ? new SendError(`the broker refuses: ${error.message}`) : error
}
