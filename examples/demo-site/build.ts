/** Rebuilds `data/` from the folder of original files: `node examples/demo-site/build.ts FOLDER`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCapistranoBridge } from './sources/capistrano-bridge.ts'
import { generateTraffic } from './sources/generated-traffic.ts'
import { readMukilteoSlope } from './sources/mukilteo-slope.ts'
import { readMunichTestBridge } from './sources/munich-test-bridge.ts'
import { pack } from './sources/records.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: node examples/demo-site/build.ts FOLDER')
  process.exit(2)
}

const munich = readMunichTestBridge(join(folder, 'munich-test-bridge'))

const files: Record<string, readonly object[]> = {
  'munich-test-bridge.theme.ndjson.gz': munich.theme,
  'munich-test-bridge.vibration.ndjson.gz': munich.vibration,
  'mukilteo-slope.theme.ndjson.gz': readMukilteoSlope(join(folder, 'mukilteo-slope')),
  'capistrano-bridge.vibration.ndjson.gz': readCapistranoBridge(join(folder, 'capistrano-bridge')),
  'generated-traffic.traffic.ndjson.gz': generateTraffic(),
}

const data = new URL('data/', import.meta.url)
mkdirSync(data, { recursive: true })
for (const [name, records] of Object.entries(files)) {
  const bytes = pack(records)
  writeFileSync(new URL(name, data), bytes)
  console.log(`${name}: ${records.length} records, ${bytes.length} bytes`)
}
