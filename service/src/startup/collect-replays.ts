import type { Config } from '../config/settings.ts'
import { mqttOrigin } from '../domain/rejects/reject-origin.ts'
import { replayRow, type ReplayParts } from '../ingest/files/replay-row.ts'
import { replayLine } from '../ingest/line-protocol/ingest-points.ts'
import { compilePointMappings } from '../ingest/line-protocol/point-mapping.ts'
import { replayMessage } from '../ingest/mqtt/replay-message.ts'
import type { Replays } from '../ingest/rejects/replay.ts'
import { compileTopics } from './compile-topics.ts'

/** The replays of rejects with the current settings, by kind. */
export function collectReplays(config: Config, { ingest, data }: ReplayParts): Replays {
  const mqtt = new Map(
    config['ingest.mqtt'].map(({ name, subscriptions }, at) => [
      mqttOrigin(name).origin,
      compileTopics(config, subscriptions, `ingest.mqtt[${at}].subscriptions`),
    ]),
  )
  const broker = compileTopics(config, config['ingest.broker.topics'], 'ingest.broker.topics')
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
