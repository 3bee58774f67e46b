import type { TopicSettings } from '../config/mqtt-settings.ts'
import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { compilePointMappings } from '../ingest/line-protocol/point-mapping.ts'
import { compileMapping, type PayloadMapping } from '../ingest/mqtt/payload-mapping.ts'
import { jsonLimits } from './ingest-limits.ts'

/** Compiles the topics of a broker of the settings; errors name the entry. */
export const subscribedMappings = (config: Config, at: number): PayloadMapping[] =>
  compileTopics(
    config,
    config['ingest.mqtt'][at]?.subscriptions ?? [],
    `ingest.mqtt[${at}].subscriptions`,
  )

/** Compiles the topics of the embedded broker; errors name the entry. */
export const brokerMappings = (config: Config): PayloadMapping[] =>
  compileTopics(config, config['ingest.broker.topics'], 'ingest.broker.topics')

/** Refuses settings whose topics cannot be compiled; errors name the entry. */
export function checkTopics(config: Config): void {
  brokerMappings(config)
  for (const at of config['ingest.mqtt'].keys()) subscribedMappings(config, at)
  compilePointMappings(config['ingest.lineProtocol'])
}

function compileTopics(
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
