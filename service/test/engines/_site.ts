import { SITE } from '../_site.ts'

const RULES = `
              - item: temperature
                config: [{ thresholds: [{ level: 2, value: '(-,-10);(40,+)' }] }]
                hysteresis: { value: 2 }
                rates: [{ per: hour, overMinutes: 15, levels: [{ level: 3, limit: 90 }] }]
                range: { low: -200, high: 200, level: 3 }
                spike: { deviation: 30 }
                frozen: { hours: 2, level: 3 }`

/** The site of the tests, with rules of an item, with silent devices and expiring records. */
const WATCHED = SITE.replace(
  "- { level: 2, value: '(-300,-200);(200,300)' }",
  (levels) => levels + RULES,
)
  .replace(
    'name: VW-01\n        kind: sensor\n',
    'name: VW-01\n        kind: sensor\n        intervalSeconds: 300\n',
  )
  .replace('portrait: bridge.jpg', 'portrait: bridge.jpg\n    retention: { raw: 4w, traffic: 7d }')

/** Site files that follow each other; the first one is applied before all actions. */
export const SITES = [
  WATCHED,
  WATCHED.replace('(300,+∞]', '(150,+∞]').replace('name: River office', 'name: 水务局'),
  WATCHED.replace('name: 应变-02', 'name: 应变-02 ″new″').replace('clearAfter: 1', 'clearAfter: 3'),
  WATCHED.replace(
    'linear, item: strain, value: reading, k: 2',
    'linear, item: strain, value: reading, k: 4',
  ),
  WATCHED.replace(
    'retention: { raw: 4w, traffic: 7d }',
    'retention: { theme: 30d, vibration: 3d }',
  ),
  // Refused: the item of a threshold is missing.
  WATCHED.replace('key: waterLevel', 'key: level'),
] as const
