import type { TopicSettings } from '../../config/mqtt-settings.ts'

type Preset = NonNullable<TopicSettings['preset']>

/** The message forms of most gateways, as settings of a topic. */
export const PRESETS: Readonly<Record<Preset, Omit<TopicSettings, 'topic' | 'preset'>>> = {
  /** `{"ts": 1772362800000, "values": {"temperature": 21.3}}`, or a list of them. */
  tsValues: { sensor: '{sensor}', time: '@.ts', values: '@.values' },
  /** `21.3` on a topic with sensor and item. */
  valuePerTopic: { sensor: '{sensor}', key: '{key}', value: '@', merge: true },
  /** `{"sensor": "…", "time": "…", "values": {…}}`, or a list of them. */
  sensorTimeValues: { sensor: '@.sensor', time: '@.time', values: '@.values' },
}
