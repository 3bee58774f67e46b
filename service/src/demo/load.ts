import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Commits } from '../commit/commits.ts'
import { createApplication } from '../site/applications.ts'
import { IngestClock } from '../ingest/records/ingest-clock.ts'
import { RecordIngest } from '../ingest/record-ingest.ts'
import { applySite } from '../site/apply/apply.ts'
import type { Storage } from '../storage/storage.ts'
import { copyClips } from './copy-clips.ts'
import { listDataFiles, loadDataFile } from './data-files.ts'
import { DEMO_FOLDER, hashSite, readState, SITE_FILE, writeState } from './demo-state.ts'

/** With the scope of every example of the interface document. */
const DEMO_APPLICATION = { userId: 1, name: 'demo', scope: 'admin' } as const

type LoadOptions = {
  print(line: string): void
  /** Called when an application was created for a user. */
  onApplication(id: string, user: number): void
}

/** Loads the missing part of the demo site; after an interruption it continues with the next data file. */
export async function loadDemo(
  storage: Storage,
  dataFolder: string,
  { print, onApplication }: LoadOptions,
): Promise<void> {
  const known = await readState(dataFolder)
  await copyClips(dataFolder)
  await applySite(storage, { text: await readFile(SITE_FILE, 'utf8'), fileName: SITE_FILE })
  const application = known?.application ?? (await createApplication(storage, DEMO_APPLICATION))
  if (known === undefined) onApplication(application.appId, DEMO_APPLICATION.userId)
  const state = {
    application,
    siteHash: await hashSite(),
    loaded: known?.loaded ?? [],
  }
  await writeState(dataFolder, state)

  const commits = Commits.open({ storage, now: Date.now })
  const clock = new IngestClock({ now: Date.now })
  await using ingest = RecordIngest.open({ storage, clock, commits })
  for (const file of await listDataFiles(join(DEMO_FOLDER, 'data'))) {
    if (state.loaded.includes(file.name)) continue
    const count = await loadDataFile(ingest, file)
    print(`loaded ${count} records of ${file.name}`)
    state.loaded.push(file.name)
    await writeState(dataFolder, state)
  }
}
