/** Runs the scenarios one after the other, prints what they found and keeps it. */
import { parseArgs } from 'node:util'
import { LoadProcess } from './load/load.ts'
import { currentLoad, readCircumstances } from './machine.ts'
import { formatRun, keepRun, type Run, type Section } from './results.ts'
import type { Scenario } from './scenario.ts'
import { alarmLists } from './scenarios/alarm-lists.ts'
import { alarms } from './scenarios/alarms.ts'
import { backups } from './scenarios/backup.ts'
import { bodies } from './scenarios/bodies.ts'
import { cameras } from './scenarios/cameras.ts'
import { citus } from './scenarios/citus.ts'
import { consoleFrames } from './scenarios/console-frames.ts'
import { continuousCopy } from './scenarios/continuous-copy.ts'
import { deriving } from './scenarios/deriving.ts'
import { disk } from './scenarios/disk.ts'
import { encodings } from './scenarios/encodings.ts'
import { importFiles } from './scenarios/import-files.ts'
import { ingest } from './scenarios/ingest.ts'
import { instances } from './scenarios/instances.ts'
import { liveBesideBackfill } from './scenarios/live-beside-backfill.ts'
import { longResponses } from './scenarios/long-answers.ts'
import { mqtt } from './scenarios/mqtt.ts'
import { newestRecord } from './scenarios/newest-record.ts'
import { openDays } from './scenarios/open-days.ts'
import { postgres } from './scenarios/postgres.ts'
import { sealedDays } from './scenarios/sealed-days.ts'
import { sizing } from './scenarios/sizing.ts'
import { start } from './scenarios/start.ts'
import { stationDay } from './scenarios/station-day.ts'
import { vibration } from './scenarios/vibration.ts'
import { workers } from './scenarios/workers.ts'

const SCENARIOS: readonly Scenario[] = [
  stationDay,
  longResponses,
  newestRecord,
  ingest,
  start,
  disk,
  sealedDays,
  mqtt,
  vibration,
  importFiles,
  alarms,
  deriving,
  alarmLists,
  bodies,
  liveBesideBackfill,
  encodings,
  cameras,
  workers,
  postgres,
  sizing,
  instances,
  citus,
  openDays,
  backups,
  continuousCopy,
  consoleFrames,
]

const HELP = `usage: npm run bench -- [--only 1,4] [--quick] [--huge] [--no-keep]

  --only N,N   only these scenarios
  --quick      fewer and shorter rounds, not kept: to see that everything runs
  --huge       the newest record and backups on 100 million records; needs 12 GB of temporary space
  --no-keep    print only, add nothing to bench/results.md

${SCENARIOS.map(({ title }, index) => `  ${index + 1}  ${title}`).join('\n')}`

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    huge: { type: 'boolean', default: false },
    'no-keep': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(HELP)
else await runAll()

async function runAll(): Promise<void> {
  const { quick: isQuick, huge: isHuge } = values
  const wanted = values.only?.split(',').map(Number) ?? SCENARIOS.map((_, index) => index + 1)
  const circumstances = readCircumstances()

  const sections: Section[] = []
  for (const number of wanted) {
    const scenario = SCENARIOS[number - 1]
    if (scenario === undefined) throw new Error(`There is no scenario ${number}.\n\n${HELP}`)
    const { title } = scenario
    console.error(`${number}. ${title}`)
    await using load = new LoadProcess()
    sections.push({ number, title, findings: await scenario.run({ load, isQuick, isHuge, say }) })
  }

  const options = [isQuick ? '--quick' : '', isHuge ? '--huge' : ''].filter(Boolean).join(' ')
  const run: Run = { circumstances, loadAfter: currentLoad(), options, sections }
  console.log(`\n${formatRun(run)}`)
  if (!isQuick && !values['no-keep']) await keepRun(run)
}

function say(line: string): void {
  console.error(`  ${line} …`)
}
