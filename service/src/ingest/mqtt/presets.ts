import type { TopicSettings } from '../../config/mqtt-settings.ts'

type Preset = NonNullable<TopicSettings['preset']>

/** The message forms of most gateways, as settings of a topic. */
export const PRESETS: Readonly<Record<Preset, Omit<TopicSettings, 'topic' | 'preset'>>> = {
  /** `{"ts": 1772362800000, "values": {"temperature": 21.3}}`, or a list of them; `quality` may be beside. */
  tsValues: { sensor: '{sensor}', time: '@.ts', values: '@.values', quality: '@.quality' },
  /** `21.3` on a topic with sensor and item. */
  valuePerTopic: { sensor: '{sensor}', key: '{key}', value: '@' },
  /** `{"sensor": "…", "time": "…", "values": {…}}`, or a list of them; `quality` may be beside. */
  sensorTimeValues: {
    sensor: '@.sensor',
    time: '@.time',
    values: '@.values',
    quality: '@.quality',
  },
}
