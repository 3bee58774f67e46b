import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApplication, type Credentials } from '../cli/app.ts'
import type { Door } from '../ingest/door.ts'
import type { Service } from '../service.ts'
import { applySite } from '../sites/apply.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { listDataFiles, loadDataFile } from './data-files.ts'

const DEMO_FOLDER = fileURLToPath(new URL('../../../examples/demo-site/', import.meta.url))
const DEMO_USER = 1

/** What a start with `--demo` leaves behind, so that the next one changes nothing. */
type DemoState = { application: Credentials; loaded: string[] }

type Options = { storage: Storage; dataFolder: string; print(line: string): void }

/** Loads the demo site where it is missing, and gives what introduces it to a newcomer. */
export async function prepareDemo({ storage, dataFolder, print }: Options) {
  const siteFile = join(DEMO_FOLDER, 'site.yaml')
  await applySite(storage, { text: await readFile(siteFile, 'utf8'), fileName: siteFile })

  const stateFile = join(dataFolder, 'demo.json')
  const state = (await readState(stateFile)) ?? {
    application: await createApplication(storage, DEMO_USER, 'demo'),
    loaded: [],
  }
  await writeState(stateFile, state)

  const door: Door = { catalogue: openCatalogue(storage.sites), storage, now: Date.now }
  const files = await listDataFiles(join(DEMO_FOLDER, 'data'))
  for (const file of files.filter(({ name }) => !state.loaded.includes(name))) {
    const count = await loadDataFile(door, file)
    print(`loaded ${count} records of ${file.name}`)
    state.loaded.push(file.name)
    await writeState(stateFile, state)
  }
  return { introduce: (service: Service) => introduce(service, state.application, print) }
}

const readState = (file: string): Promise<DemoState | undefined> =>
  readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as DemoState,
    () => undefined,
  )

const writeState = (file: string, state: DemoState): Promise<void> =>
  writeFile(file, JSON.stringify(state), { mode: 0o600, flush: true })

function introduce(
  { origin, certificateFile }: Service,
  { appId, appSecret }: Credentials,
  print: (line: string) => void,
): void {
  const curl = `curl -s --cacert ${relative('.', certificateFile)}`
  const base = `${origin}/api/v1`
  print(`
The demo site holds real measurements of two bridges and a slope; its traffic is generated.
  application id:     ${appId}
  application secret: ${appSecret}

Paste these in another terminal, in this folder:

TOKEN=$(${curl} -u ${appId}:${appSecret} -d grant_type=client_credentials ${base}/oauth2/token | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
${curl} "${base}/structures?token=$TOKEN"
${curl} "${base}/stations/theme/data?stations=1001,2101&limit=3&token=$TOKEN"

The interface to browse: ${origin}/docs`)
}
