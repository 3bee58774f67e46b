import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Commits } from '../commit/commits.ts'
import { hashPassword, SALT_BYTES } from '../domain/access/password-hash.ts'
import type { SecurityDetails } from '../domain/access/security-log.ts'
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

/** An administrator of everything, as a person who tries the demo site expects. */
const DEMO_ACCOUNT = { name: 'demo', displayName: 'Demo', role: 'administrator' } as const

type LoadOptions = {
  print(line: string): void
  /** Called when an application or an account was created. */
  onAccess(details: SecurityDetails): Promise<void>
}

/** Loads the missing part of the demo site; after an interruption it continues with the next data file. */
export async function loadDemo(
  storage: Storage,
  dataFolder: string,
  { print, onAccess }: LoadOptions,
): Promise<void> {
  const known = await readState(dataFolder)
  await copyClips(dataFolder)
  await applySite(storage, { text: await readFile(SITE_FILE, 'utf8'), fileName: SITE_FILE })
  const application = known?.application ?? (await createApplication(storage, DEMO_APPLICATION))
  if (known === undefined)
    await onAccess({ application: application.appId, user: DEMO_APPLICATION.userId })
  const account = known?.account ?? (await addDemoAccount(storage))
  if (known?.account === undefined) await onAccess({ account: account.name })
  const state = {
    application,
    account,
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

/** Adds the account with a password of its own, or gives the one that is there a new one. */
async function addDemoAccount({ accounts }: Storage): Promise<{ name: string; password: string }> {
  const { name } = DEMO_ACCOUNT
  const now = Date.now()
  const password = randomBytes(12).toString('base64url')
  const hashed = await hashPassword(password, randomBytes(SALT_BYTES))
  const id =
    (await accounts.findByName(name))?.id ??
    (await accounts.add({ ...DEMO_ACCOUNT, userId: null, createdAt: now }))
  if (id === undefined) throw new Error('the demo account is being added by another process')
  await accounts.setPassword(id, hashed, now)
  return { name, password }
}
