import type { Config } from '../config/settings.ts'
import { mqttOrigin } from '../domain/rejects/reject-origin.ts'
import { replayRow, type ReplayParts } from '../ingest/files/replay-row.ts'
import { replayLine } from '../ingest/line-protocol/ingest-points.ts'
import { compilePointMappings } from '../ingest/line-protocol/point-mapping.ts'
import { replayMessage } from '../ingest/mqtt/replay-message.ts'
import type { Replays } from '../ingest/rejects/replay.ts'
import { brokerMappings, subscribedMappings } from './topic-mappings.ts'

/** How rejects of each kind are replayed with the current settings. */
export function collectReplays(config: Config, { ingest, data }: ReplayParts): Replays {
  const mappingsByOrigin = new Map(
    config['ingest.mqtt'].map(({ name }, at) => [
      mqttOrigin(name).origin,
      subscribedMappings(config, at),
    ]),
  )
  const ofBroker = brokerMappings(config)
  const readPoint = compilePointMappings(config['ingest.lineProtocol'])
  return {
    async mqtt(reject) {
      const mappings = mappingsByOrigin.get(reject.origin)
      if (mappings !== undefined) return replayMessage(ingest, mappings, reject)
      return { problem: `the settings have no broker of the name in "${reject.origin}"` }
    },
    file: (reject) => replayRow({ ingest, data }, reject),
    influx: (reject) => replayLine(ingest, readPoint, reject),
    broker: (reject) => replayMessage(ingest, ofBroker, reject),
  }
}
