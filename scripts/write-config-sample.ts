/** Writes `docs/plumbline.sample.yaml`, the manual of the settings. */
import { writeFileSync } from 'node:fs'
import { writeSample } from '../service/src/config/sample.ts'

writeFileSync(new URL('../docs/plumbline.sample.yaml', import.meta.url), writeSample())
